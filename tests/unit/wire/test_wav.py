import struct

import pytest

from palabre.wire.wav import NoWavError, read_header, with_sizes

SAMPLES = bytes(range(100)) * 2
EXTENSIBLE = 0xFFFE


def chunk(name: bytes, content: bytes, promised: int | None = None) -> bytes:
    size = len(content) if promised is None else promised
    return name + struct.pack("<I", size) + content + b"\0" * (len(content) % 2)


def fmt(kind: int = 1, subtype: bytes = b"") -> bytes:
    return chunk(b"fmt ", struct.pack("<HHIIHH", kind, 1, 24_000, 48_000, 2, 16) + subtype)


def riff(*chunks: bytes) -> bytes:
    body = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def test_samples_lie_behind_whatever_else_there_is() -> None:
    content = riff(chunk(b"LIST", b"abc"), fmt(), chunk(b"fact", b""), chunk(b"data", SAMPLES))
    header = read_header(content + b"more")
    assert (header.kind, header.channels, header.rate_hz) == (1, 1, 24_000)
    assert (header.rate_bytes, header.bits, header.is_open) == (48_000, 16, False)
    assert header.samples_in(content) == SAMPLES


@pytest.mark.parametrize("promised", [0, 0x7FFF_0000, 0xFFFF_FFFF])
def test_a_length_that_was_not_known_is_the_one_that_is_there(promised: int) -> None:
    content = riff(fmt(), chunk(b"data", SAMPLES, promised))
    header = read_header(content)
    assert header.is_open
    assert header.samples_in(content) == SAMPLES
    assert with_sizes(content, header) == riff(fmt(), chunk(b"data", SAMPLES))


def test_more_than_is_there_is_what_is_there() -> None:
    content = riff(fmt(), chunk(b"data", SAMPLES, 10**6))
    assert not read_header(content).is_open
    assert read_header(content).samples_in(content) == SAMPLES


def test_an_extensible_format_tells_what_it_stands_for() -> None:
    content = riff(fmt(EXTENSIBLE, bytes(8) + struct.pack("<H", 3)), chunk(b"data", SAMPLES))
    assert read_header(content).kind == 3


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"RIFF",
        b"<html>" * 10,
        riff(),
        riff(fmt()),
        riff(chunk(b"data", SAMPLES)),
        riff(chunk(b"fmt ", b"short"), chunk(b"data", SAMPLES)),
        riff(*[chunk(b"junk", b"")] * 2000, fmt(), chunk(b"data", SAMPLES)),
    ],
)
def test_other_bytes_are_no_wav(content: bytes) -> None:
    with pytest.raises(NoWavError):
        read_header(content)
