"""CHARX: a zip with `card.json` and the files that the card speaks of."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from palabre.wire.cards.document import CardDocument, read_document, write_v3
from palabre.wire.cards.errors import (
    MAX_JSON_BYTES,
    MAX_ZIP_BYTES,
    MAX_ZIP_ENTRIES,
    MAX_ZIP_RATIO,
    MIB,
    CardError,
)
from palabre.wire.cards.png_chunks import SIGNATURE

CARD = "card.json"
ICON = "assets/icon/images/main.png"
_SCHEMES = ("embeded://", "embedded://")
"""The first is how the specification spells it; the second is what some programs write."""

_END = b"PK\x05\x06"
_END_BYTES = 22
_END_ROOM = _END_BYTES + 0xFFFF
_MAX_DIRECTORY_BYTES = MIB
_EPOCH = (1980, 1, 1, 0, 0, 0)
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(ValueError, RuntimeError, NotImplementedError, OverflowError, IndexError, KeyError),
)


@dataclass(frozen=True, slots=True)
class CharxCard:
    """A card found in a zip.

    Attributes:
        document: The card.
        json: Its JSON as it was written.
        icon: Its picture; None if it is not in the zip, or no PNG.
    """

    document: CardDocument
    json: bytes
    icon: bytes | None


def is_zip(content: bytes) -> bool:
    """Say whether *content* ends like a zip; something else may stand before it."""
    return _END in content[-_END_ROOM:]


def read_charx(content: bytes) -> CharxCard:
    """Return the card in the zip *content*.

    Raises:
        CardError: It is no zip, breaks a limit, is encrypted, or has no card.
    """
    with _opened(content) as archive:
        if CARD not in archive.namelist():
            raise CardError("no_card_inside")
        json = _read(archive, archive.getinfo(CARD), MAX_JSON_BYTES, "json_too_large")
        document = read_document(json)
        return CharxCard(document, json, _icon(archive, document))


def write_charx(card: CardDocument, source: bytes | None, picture: bytes) -> bytes:
    """Write *card* as a zip, with all other files of *source*, or else with *picture*.

    Args:
        card: The card.
        source: The zip that it came in; None if it came otherwise.
        picture: A PNG, for a card that names no files.

    Raises:
        CardError: *source* is no zip, or breaks a limit.
    """
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        if source is not None:
            for name, content in _others(source):
                archive.writestr(zipfile.ZipInfo(name, _EPOCH), content)
        elif "assets" not in card.data:
            icon = {"type": "icon", "uri": f"{_SCHEMES[0]}{ICON}", "name": "main", "ext": "png"}
            card = card.changed({"assets": [icon]}, {})
            archive.writestr(zipfile.ZipInfo(ICON, _EPOCH), picture)
        archive.writestr(zipfile.ZipInfo(CARD, _EPOCH), write_v3(card), zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _others(source: bytes) -> Iterator[tuple[str, bytes]]:
    with _opened(source) as archive:
        left = MAX_ZIP_BYTES
        for info in archive.infolist():
            if info.filename != CARD and not info.is_dir() and _stays_inside(info.filename):
                content = _read(archive, info, left, "zip_too_large")
                left -= len(content)
                yield info.filename, content


def _stays_inside(name: str) -> bool:
    """Say whether *name* is below where a zip is unpacked, on any system."""
    return not name.startswith("/") and not set("\\:\0") & set(name) and ".." not in name.split("/")


def _opened(content: bytes) -> zipfile.ZipFile:
    _demand_small_directory(content)
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except _BROKEN as error:
        raise CardError("broken_zip") from error
    infos = archive.infolist()
    if len(infos) > MAX_ZIP_ENTRIES:
        raise CardError("too_many_entries", most=MAX_ZIP_ENTRIES)
    if sum(info.file_size for info in infos) > MAX_ZIP_BYTES:
        raise CardError("zip_too_large", most=MAX_ZIP_BYTES // MIB)
    for info in infos:
        _demand_harmless(info)
    return archive


def _demand_small_directory(content: bytes) -> None:
    """Refuse a list of files that would fill the memory: it is read before it is counted."""
    place = content.rfind(_END, max(0, len(content) - _END_ROOM))
    if place < 0 or place + _END_BYTES > len(content):
        raise CardError("broken_zip")
    (size,) = struct.unpack_from("<I", content, place + 12)
    if size > _MAX_DIRECTORY_BYTES:
        raise CardError("too_many_entries", most=MAX_ZIP_ENTRIES)


def _demand_harmless(info: zipfile.ZipInfo) -> None:
    if info.flag_bits & 1:
        raise CardError("encrypted_zip")
    if info.compress_type not in _METHODS:
        raise CardError("broken_zip")
    if info.file_size > MIB and info.file_size > MAX_ZIP_RATIO * max(1, info.compress_size):
        raise CardError("zip_bomb", most=MAX_ZIP_RATIO, name=info.filename[:100])


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int, problem: str) -> bytes:
    """Unpack one file, counting: the size that a zip declares is a claim."""
    limit = MAX_ZIP_BYTES if problem == "zip_too_large" else most
    try:
        with archive.open(info) as file:
            content = file.read(most + 1)
    except _BROKEN as error:
        raise CardError("broken_zip") from error
    if len(content) > most:
        raise CardError(problem, most=limit // MIB)
    return content


def _icon(archive: zipfile.ZipFile, document: CardDocument) -> bytes | None:
    names = set(archive.namelist())
    for path in _icon_paths(document):
        if path in names:
            content = _read(archive, archive.getinfo(path), MAX_ZIP_BYTES, "zip_too_large")
            if content.startswith(SIGNATURE):
                return content
    return None


def _icon_paths(document: CardDocument) -> Iterator[str]:
    assets = document.data["assets"].value if "assets" in document.data else None
    tables = [each for each in assets if isinstance(each, dict)] if isinstance(assets, list) else []
    icons = [each for each in tables if each.get("type") == "icon"]
    for icon in sorted(icons, key=lambda each: each.get("name") != "main"):
        uri = str(icon.get("uri"))
        yield from (uri.removeprefix(each) for each in _SCHEMES if uri.startswith(each))
