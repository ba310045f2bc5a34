"""WAV files: RIFF with a `fmt ` chunk and a `data` chunk."""

import struct

from palabre.wire.wav import NoWavError, read_header

RATE, SAMPLE_BYTES = 24_000, 2
PROMISED_BYTES = 0xFFFF_FFFF
_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")
_CHUNK = struct.Struct("<4sI")
_FORMAT_BYTES = 16
PCM, MONO = 1, 1


def header(data_bytes: int) -> bytes:
    """Return the 44 bytes before 16-bit mono samples at 24 kHz."""
    riff_bytes = min(data_bytes + _HEADER.size - _CHUNK.size, PROMISED_BYTES)
    rate_bytes, bits = RATE * SAMPLE_BYTES, 8 * SAMPLE_BYTES
    head = (b"RIFF", riff_bytes, b"WAVE", b"fmt ", _FORMAT_BYTES, PCM, MONO)
    return _HEADER.pack(*head, RATE, rate_bytes, SAMPLE_BYTES, bits, b"data", data_bytes)


def samples_of(file: bytes) -> tuple[bytes, float] | None:
    """Return the samples of a WAV file and its duration in seconds; None if it is none.

    A size that is larger than what is there is taken for "until the end".
    """
    try:
        found = read_header(file)
    except NoWavError:
        return None
    samples = found.samples_in(file)
    return samples, len(samples) / found.rate_bytes if found.rate_bytes else 0.0
