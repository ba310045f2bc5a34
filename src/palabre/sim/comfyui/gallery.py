"""The folders of pictures; each is drawn when somebody looks at it."""

import asyncio
from collections import Counter
from dataclasses import dataclass

from starlette.responses import Response

from palabre.sim.comfyui.picture import Picture, huge
from palabre.sim.comfyui.script import Fault
from palabre.sim.endpoint import CutResponse, padded
from palabre.sim.ledger import JsonObject

PAGE = b"<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>"
FOLDERS = frozenset({"output", "temp", "input"})
MOST_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a picture lies; `folder` is what ComfyUI calls its type."""

    filename: str
    subfolder: str
    folder: str

    def as_json(self) -> JsonObject:
        """Return it as outputs show it."""
        return {"filename": self.filename, "subfolder": self.subfolder, "type": self.folder}


class Gallery:
    """All pictures that were saved, and how each is to be shown."""

    def __init__(self, heavy_bytes: int) -> None:
        self._heavy_bytes = heavy_bytes
        self._kept: dict[Place, tuple[Picture, Fault | None]] = {}
        self._counts: Counter[tuple[str, str]] = Counter()

    def save(self, picture: Picture, prefix: str, folder: str, fault: Fault | None) -> Place:
        """Keep *picture* under the next free name that begins with *prefix*."""
        subfolder, _, name = prefix.rpartition("/")
        self._counts[folder, prefix] += 1
        filename = f"{name}_{self._counts[folder, prefix]:05}_.png"
        place = Place(filename, subfolder, folder)
        self._kept[place] = (picture, fault)
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return place

    async def view(self, place: Place) -> Response:
        """Return the picture at *place*, or what the script makes of it; 404 if there is none."""
        if place not in self._kept:
            return Response(status_code=404)
        picture, fault = self._kept[place]
        shown = {"Content-Disposition": f'filename="{place.filename}"'}
        if fault is Fault.NOT_A_PICTURE:
            return Response(PAGE, headers=shown, media_type="image/png")
        png = await asyncio.to_thread(huge if fault is Fault.HUGE else picture.png)
        if fault is Fault.CUT:
            return CutResponse(png, headers=shown, media_type="image/png")
        if fault is Fault.HEAVY:
            return padded(png, b"\x00", self._heavy_bytes, "image/png")
        return Response(png, headers=shown, media_type="image/png")
