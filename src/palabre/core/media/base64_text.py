"""Large content as base64 that is never joined: 50 MB of music are 67 MB of it."""

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


def to_base64(content: bytes) -> Base64Text:
    """Return *content* in base64. Takes a while for large content: call it in a thread.

    Piece by piece, because one call would keep all other threads waiting until its end.
    """
    view = memoryview(content)
    pieces = tuple(
        base64.b64encode(view[start : start + PIECE_BYTES])
        for start in range(0, len(content), PIECE_BYTES)
    )
    return Base64Text(pieces, sum(map(len, pieces)))
