"""Headers of WAV files, as files have them and as servers send them.

Who sends a sound while it is being made writes the header first, and promises 0, 0xFFFFFFFF or
almost as many bytes. What is there counts, not what was promised.
"""

import struct
from dataclasses import dataclass

EXTENSIBLE = 0xFFFE
UNKNOWN_BYTES = 0x7FFF_0000
"""Sizes from here on, and 0, stand for "until the end"."""

MAX_CHUNKS = 1000
"""Before the samples."""

_HEADER_BYTES = 12
_CHUNK = struct.Struct("<4sI")
_FORMAT = struct.Struct("<HHIIHH")
_SUBTYPE_AT = 24
_SIZE = struct.Struct("<I")


class NoWavError(ValueError):
    """These bytes are no WAV; its words say what is missing."""


@dataclass(frozen=True, slots=True)
class WavHeader:
    """What a WAV says of its samples.

    Attributes:
        kind: 1 integers, 3 floats; what an extensible format stands for.
        rate_hz: Samples of a channel in a second.
        rate_bytes: Bytes in a second.
        bits: Of one sample.
        start: Where the samples begin.
        promised_bytes: How many there should be.
    """

    kind: int
    channels: int
    rate_hz: int
    rate_bytes: int
    bits: int
    start: int
    promised_bytes: int

    @property
    def is_open(self) -> bool:
        """Whether its length was not known when it was written."""
        return not 0 < self.promised_bytes < UNKNOWN_BYTES

    def samples_in(self, content: bytes) -> bytes:
        """Return the samples that are there, no more than were promised."""
        end = None if self.is_open else self.start + self.promised_bytes
        return content[self.start : end]


def read_header(content: bytes) -> WavHeader:
    """Read the header of *content*.

    Raises:
        NoWavError: It is no WAV, or its samples or their format are not told.
    """
    if content[:4] != b"RIFF" or content[8:_HEADER_BYTES] != b"WAVE":
        raise NoWavError("no RIFF header")
    format_at, place = 0, _HEADER_BYTES
    for _ in range(MAX_CHUNKS):
        if place + _CHUNK.size > len(content):
            break
        name, size_bytes = _CHUNK.unpack_from(content, place)
        place += _CHUNK.size
        if name == b"data" and format_at:
            return _header(content, format_at, place, size_bytes)
        if name == b"fmt " and _FORMAT.size <= min(size_bytes, len(content) - place):
            format_at = format_at or place
        place += size_bytes + size_bytes % 2
    raise NoWavError("no fmt or data chunk")


def with_sizes(content: bytes, header: WavHeader) -> bytes:
    """Return *content* with the sizes that it really has."""
    mended = bytearray(content)
    _SIZE.pack_into(mended, 4, len(content) - _CHUNK.size)
    _SIZE.pack_into(mended, header.start - _SIZE.size, len(content) - header.start)
    return bytes(mended)


def _header(content: bytes, format_at: int, start: int, promised_bytes: int) -> WavHeader:
    kind, channels, rate_hz, rate_bytes, _, bits = _FORMAT.unpack_from(content, format_at)
    if kind == EXTENSIBLE and format_at + _SUBTYPE_AT + 2 <= start:
        (kind,) = struct.unpack_from("<H", content, format_at + _SUBTYPE_AT)
    return WavHeader(kind, channels, rate_hz, rate_bytes, bits, start, promised_bytes)
