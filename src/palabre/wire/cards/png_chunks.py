"""PNG and APNG as chunks; no picture is decoded.

Source: PNG specification, third edition, §5 and §11.3.3.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from palabre.wire.cards.errors import MAX_JSON_BYTES, MAX_PIXELS, MIB, CardError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEAD = struct.Struct(">I4s")
_CRC_BYTES = 4
_MAX_CHUNKS = 100_000
_MAX_KEYWORD_BYTES = 79
TEXT_KINDS = frozenset({b"tEXt", b"zTXt", b"iTXt"})

MAX_TEXT_BYTES = MAX_JSON_BYTES * 3 // 2
"""Base64 of the largest card, and a line break here and there."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk; *is_sound* says whether its checksum is right."""

    kind: bytes
    body: bytes
    is_sound: bool = True

    def __bytes__(self) -> bytes:
        head = _HEAD.pack(len(self.body), self.kind)
        return head + self.body + struct.pack(">I", zlib.crc32(self.kind + self.body))


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A keyword, lower-case, and its words as bytes."""

    keyword: str
    words: bytes
    is_sound: bool = True


def read_chunks(png: bytes) -> list[Chunk]:
    """Return the chunks of *png* as far as they are whole, those after IEND included.

    Raises:
        CardError: It has too many chunks, no header, or too many pixels.
    """
    chunks = list(_chunks(png))
    if not chunks or chunks[0].kind != b"IHDR" or len(chunks[0].body) < 8:  # noqa: PLR2004
        raise CardError("broken_picture")
    width, height = struct.unpack(">II", chunks[0].body[:8])
    if width * height > MAX_PIXELS:
        raise CardError("picture_too_large", most=MAX_PIXELS // 1_000_000)
    return chunks


def write_chunks(chunks: Iterable[Chunk]) -> bytes:
    """Write a PNG of *chunks*."""
    return SIGNATURE + b"".join(map(bytes, chunks))


def keyword_of(chunk: Chunk) -> str:
    """Return the keyword of a text *chunk*, lower-case; empty for other chunks."""
    if chunk.kind not in TEXT_KINDS:
        return ""
    return chunk.body[: _MAX_KEYWORD_BYTES + 1].partition(b"\0")[0].decode("latin-1").casefold()


def read_text(chunk: Chunk) -> TextChunk:
    """Return the words of a text *chunk*, inflated if they are packed.

    Raises:
        CardError: They are broken, or inflate beyond `MAX_TEXT_BYTES`.
    """
    keyword, _, rest = chunk.body.partition(b"\0")
    words = _words(chunk.kind, rest)
    if len(words) > MAX_TEXT_BYTES:
        raise _too_large()
    return TextChunk(keyword.decode("latin-1").casefold(), words, chunk.is_sound)


def text_chunk(keyword: str, words: bytes) -> Chunk:
    """Return a plain text chunk; *words* are ASCII."""
    return Chunk(b"tEXt", keyword.encode("latin-1") + b"\0" + words)


def _words(kind: bytes, rest: bytes) -> bytes:
    if kind == b"tEXt":
        return rest
    if kind == b"zTXt":
        return _inflate(rest[1:])
    is_packed = rest[:1] == b"\1"
    _, _, after_language = rest[2:].partition(b"\0")
    _, _, words = after_language.partition(b"\0")
    return _inflate(words) if is_packed else words


def _inflate(packed: bytes) -> bytes:
    """Inflate *packed*, counting on the way: what is small here may be gigabytes."""
    inflater = zlib.decompressobj()
    try:
        words = inflater.decompress(packed, MAX_TEXT_BYTES + 1)
    except zlib.error as error:
        raise CardError("broken_text") from error
    if len(words) <= MAX_TEXT_BYTES and not inflater.eof:
        raise CardError("broken_text")
    return words


def _too_large() -> CardError:
    return CardError("json_too_large", most=MAX_JSON_BYTES // MIB)


def _chunks(png: bytes) -> Iterator[Chunk]:
    position = len(SIGNATURE)
    for _ in range(_MAX_CHUNKS):
        start = position + _HEAD.size
        if start > len(png):
            return
        length, kind = _HEAD.unpack_from(png, position)
        end = start + length
        if end + _CRC_BYTES > len(png):
            return
        body = png[start:end]
        crc = int.from_bytes(png[end : end + _CRC_BYTES], "big")
        yield Chunk(kind, body, crc == zlib.crc32(kind + body))
        position = end + _CRC_BYTES
    raise CardError("too_many_chunks", most=_MAX_CHUNKS)
