"""Bodies of answers: unpacked piece by piece, and never more of them than is wanted."""

import zlib
from collections.abc import AsyncIterator, Iterator, Sequence
from io import BytesIO

from palabre.core.web.errors import FetchError

PIECE_BYTES = 256 * 1024
"""Most that is unpacked at a time."""

PLAIN = frozenset({"", "identity"})
PACKED = frozenset({"gzip", "x-gzip", "deflate"})
ACCEPTED = "gzip, deflate"
"""What requests ask for; whoever packs otherwise is not read."""

_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


async def read_body(pieces: AsyncIterator[bytes], packing: Sequence[str], most: int) -> bytes:
    """Return the body that comes in *pieces*.

    Args:
        pieces: As they came over the line.
        packing: What its `Content-Encoding` names.
        most: Bytes, counted after unpacking.

    Raises:
        FetchError: It is larger, or packed in a way that was not asked for.
    """
    unpack = _unpacker(packing)
    body = BytesIO()  # its value is no copy, which of 50 MB takes its time
    async for piece in pieces:
        for part in unpack(piece):
            body.write(part)
            if body.tell() > most:
                raise FetchError("size", most=most)
    return body.getvalue()


class _Plain:
    def __call__(self, piece: bytes) -> Iterator[bytes]:
        yield piece


class _Inflater:
    """Unpacks gzip and zlib; what follows the end of the packed stream is left out."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP_OR_ZLIB)

    def __call__(self, piece: bytes) -> Iterator[bytes]:
        while piece and not self._stream.eof:
            try:
                yield self._stream.decompress(piece, PIECE_BYTES)
            except zlib.error as error:
                raise FetchError("packing") from error
            piece = self._stream.unconsumed_tail


def _unpacker(packing: Sequence[str]) -> _Plain | _Inflater:
    kinds = [kind.strip().lower() for kind in packing]
    if all(kind in PLAIN for kind in kinds):
        return _Plain()
    if len(kinds) == 1 and kinds[0] in PACKED:
        return _Inflater()
    raise FetchError("packing")
