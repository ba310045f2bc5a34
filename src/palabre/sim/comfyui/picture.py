"""PNG files: soft waves and moons, drawn from a seed and a text."""

import hashlib
import io
import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from palabre.sim.ledger import JsonObject

SKETCH_PX, MOONS, WAVES = 384, 4, 5
HUGE_PX = 30_000
SIGNATURE = b"\x89PNG\r\n\x1a\n"
Plane = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture; `workflow` is kept in the file, as ComfyUI does."""

    seed: int
    text: str
    width: int
    height: int
    workflow: JsonObject

    def png(self) -> bytes:
        """Draw it; equal pictures are equal to the last byte."""
        chance = np.random.default_rng(self._number())
        scale = SKETCH_PX / max(self.width, self.height)
        columns, rows = max(1, round(self.width * scale)), max(1, round(self.height * scale))
        sketch = _sketch(chance, rows, columns)
        image = Image.fromarray(sketch).resize((self.width, self.height), Image.Resampling.BICUBIC)
        info = PngInfo()
        info.add_text("prompt", json.dumps(self.workflow))
        file = io.BytesIO()
        image.save(file, format="PNG", compress_level=4, pnginfo=info)
        return file.getvalue()

    def _number(self) -> int:
        source = f"{self.seed}\n{self.text}".encode(errors="replace")
        return int.from_bytes(hashlib.sha256(source).digest()[:8])


def _sketch(chance: np.random.Generator, rows: int, columns: int) -> NDArray[np.uint8]:
    longest = max(rows, columns)
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32) / longest
    ink = _waves(chance, x, y)[..., None]
    paper, dye = chance.uniform(20, 235, (2, 3))
    colours = paper + (dye - paper) * ink
    for _ in range(MOONS):
        moon = _moon(chance, x, y)[..., None]
        colours += (chance.uniform(0, 255, 3) - colours) * moon
    drawn: NDArray[np.uint8] = np.clip(colours, 0, 255).astype(np.uint8)
    return drawn


def _waves(chance: np.random.Generator, x: Plane, y: Plane) -> Plane:
    height: Plane = np.zeros_like(x)
    for _ in range(WAVES):
        across, down, phase = chance.uniform((-9, -9, 0), (9, 9, 6.3))
        height += np.sin(np.float32(across) * x + np.float32(down) * y + np.float32(phase))
    half = np.float32(0.5)
    ink: Plane = half + half * np.sin(height)
    return ink


def _moon(chance: np.random.Generator, x: Plane, y: Plane) -> Plane:
    left, top, radius = chance.uniform((0, 0, 0.03), (1, 1, 0.2))
    distance = np.hypot(x - np.float32(left), y - np.float32(top))
    moon: Plane = np.float32(0.8) * np.clip((np.float32(radius) - distance) * 60, 0, 1)
    return moon


def huge() -> bytes:
    """Return a PNG of 30 000 x 30 000 grey pixels that is small as a file."""
    head = struct.pack(">IIBBBBB", HUGE_PX, HUGE_PX, 1, 0, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", b"".join(_blank_rows())), (b"IEND", b"")]
    return SIGNATURE + b"".join(_chunk(name, content) for name, content in parts)


def _blank_rows() -> Iterator[bytes]:
    squeeze = zlib.compressobj(9)
    row = bytes(1 + (HUGE_PX + 7) // 8)
    for _ in range(HUGE_PX // 100):
        yield squeeze.compress(row * 100)
    yield squeeze.flush()


def _chunk(name: bytes, content: bytes) -> bytes:
    check = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)
