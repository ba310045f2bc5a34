"""Is it a picture, and how large? Its header alone is read: nothing is decoded here."""

import struct
from struct import unpack_from

from palabre.core.media.errors import NotAPictureError, PictureTooLargeError

MAX_PIXELS = 64 * 1024 * 1024
MAX_SEGMENTS = 4096
"""Of a JPEG, before its size is told."""

_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD8)})

Size = tuple[int, int]


def mime_of(content: bytes, service: str) -> str:
    """Return the type of the picture *content*.

    Raises:
        NotAPictureError: It is no PNG, JPEG or WebP, or its end is missing.
        PictureTooLargeError: It has more than `MAX_PIXELS`.
    """
    try:
        mime, (width, height) = _looked_at(content)
    except (struct.error, ValueError, IndexError) as error:
        raise NotAPictureError(service=service) from error
    if not (width and height):
        raise NotAPictureError(service=service)
    if width * height > MAX_PIXELS:
        raise PictureTooLargeError(service=service, width=width, height=height, most=MAX_PIXELS)
    return mime


def _looked_at(content: bytes) -> tuple[str, Size]:
    if content[:8] == b"\x89PNG\r\n\x1a\n":
        return "image/png", _png(content)
    if content[:3] == b"\xff\xd8\xff":
        return "image/jpeg", _jpeg(content)
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp", _webp(content)
    raise ValueError(content[:12])


def _png(content: bytes) -> Size:
    if content[12:16] != b"IHDR" or content[-8:-4] != b"IEND":
        raise ValueError("not whole")
    width, height = unpack_from(">II", content, 16)
    return width, height


def _jpeg(content: bytes) -> Size:
    if b"\xff\xd9" not in content[-64:]:
        raise ValueError("not whole")
    place = 2
    for _ in range(MAX_SEGMENTS):
        if content[place] != 0xFF:  # noqa: PLR2004  (every marker begins with it)
            raise ValueError("no marker")
        marker = content[place + 1]
        if marker in _JPEG_SIZES:
            height, width = unpack_from(">HH", content, place + 5)
            return width, height
        if marker == 0xFF:  # noqa: PLR2004  (padding)
            place += 1
        elif marker in _JPEG_BARE:
            place += 2
        else:
            place += 2 + unpack_from(">H", content, place + 2)[0]
    raise ValueError("no size")


def _webp(content: bytes) -> Size:
    (size_bytes,) = unpack_from("<I", content, 4)
    if size_bytes + 8 > len(content):
        raise ValueError("not whole")
    match content[12:16]:
        case b"VP8 ":
            width, height = unpack_from("<HH", content, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = unpack_from("<I", content, 21)
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8X":
            width, height = content[24:27], content[27:30]
            return 1 + int.from_bytes(width, "little"), 1 + int.from_bytes(height, "little")
    raise ValueError(content[12:16])
