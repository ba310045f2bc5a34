"""Large content as base64 that is never joined: 50 MB of music are 67 MB of it."""

import asyncio
import base64
from dataclasses import dataclass, field

PIECE_BYTES = 96 * 1024
"""Of the content, in one piece; divisible by 3, so that no piece but the last is padded."""


@dataclass(frozen=True, slots=True)
class Base64Text:
    """Base64 as ASCII, in pieces that follow each other."""

    pieces: tuple[bytes, ...] = field(repr=False)
    size_bytes: int

    def __str__(self) -> str:
        return b"".join(self.pieces).decode("ascii")


async def to_base64(content: bytes) -> Base64Text:
    """Return *content* in base64, and let others take their turn between two pieces.

    Not in a thread: it would hold the interpreter's lock, and keep everybody waiting for as long
    as a busy machine leaves it no processor.
    """
    view, pieces = memoryview(content), list[bytes]()
    for start in range(0, len(content), PIECE_BYTES):
        pieces.append(base64.b64encode(view[start : start + PIECE_BYTES]))
        await asyncio.sleep(0)
    return Base64Text(tuple(pieces), sum(map(len, pieces)))
