"""WAVs of others become ours: 16 bit, one channel, sizes that are true."""

import struct
import wave
from io import BytesIO

import numpy as np
import pytest

from palabre.adapters.speech.wav import MAX_SOUND_S, Sound, checked_wav, read_wav, write_wav
from palabre.core.models.errors import OddAnswerError

RATE_HZ = 16_000
TONE = (0.5 * np.sin(2 * np.pi * 440 * np.arange(RATE_HZ) / RATE_HZ)).astype(np.float32)


def riff(kind: int, channels: int, bits: int, data: bytes, promised: int | None = None) -> bytes:
    size = len(data) if promised is None else promised
    width = channels * bits // 8
    head = struct.pack("<HHIIHH", kind, channels, RATE_HZ, RATE_HZ * width, width, bits)
    chunks = b"fmt " + struct.pack("<I", len(head)) + head
    chunks += b"LIST" + struct.pack("<I", 3) + b"abc\0"
    chunks += b"data" + struct.pack("<I", size) + data
    total = len(chunks) + 4 if promised is None else promised
    return b"RIFF" + struct.pack("<I", total) + b"WAVE" + chunks


def sixteen_bits(samples: "np.ndarray[tuple[int], np.dtype[np.float32]]" = TONE) -> bytes:
    return (samples * 32767).astype("<i2").tobytes()


@pytest.mark.parametrize("promised", [None, 0xFFFF_FFFF, 0, 10**6])
def test_what_is_there_counts_not_what_was_promised(promised: int | None) -> None:
    ours = checked_wav(riff(1, 1, 16, sixteen_bits(), promised), "Peer")
    assert struct.unpack_from("<I", ours, 4) == (len(ours) - 8,)
    with wave.open(BytesIO(ours)) as reader:
        assert reader.getnframes() == RATE_HZ
        assert (reader.getsampwidth(), reader.getnchannels()) == (2, 1)


@pytest.mark.parametrize(
    ("kind", "bits", "data"),
    [
        (1, 8, ((TONE * 127) + 128).astype(np.uint8).tobytes()),
        (1, 16, sixteen_bits()),
        (1, 32, (TONE.astype(np.float64) * (2**31 - 1)).astype("<i4").tobytes()),
        (3, 32, TONE.astype("<f4").tobytes()),
        (3, 64, TONE.astype("<f8").tobytes()),
    ],
)
def test_samples_of_every_width_are_read(kind: int, bits: int, data: bytes) -> None:
    sound = read_wav(riff(kind, 1, bits, data))
    assert np.allclose(sound.samples, TONE, atol=0.02)


def test_samples_of_24_bits_are_read() -> None:
    whole = (TONE.astype(np.float64) * (2**31 - 1)).astype("<i4")
    data = whole.view(np.uint8).reshape(-1, 4)[:, 1:].tobytes()
    assert np.allclose(read_wav(riff(1, 1, 24, data)).samples, TONE, atol=0.001)


def test_16_bits_stay_what_they_are_to_the_last_bit() -> None:
    every = np.arange(-(2**15), 2**15).astype("<i2").tobytes()
    assert checked_wav(riff(1, 1, 16, every), "Peer")[44:] == every


def test_two_channels_become_one() -> None:
    both = np.stack([TONE, -TONE], axis=1)
    sound = read_wav(riff(1, 2, 16, sixteen_bits(both)))
    assert sound.duration_s == 1.0
    assert sound.loudness < 0.001


def test_numbers_that_are_none_do_no_harm() -> None:
    odd = np.array([np.nan, np.inf, -np.inf, 0.5] * 1000, "<f4")
    ours = checked_wav(riff(3, 1, 32, odd.tobytes()), "Peer")
    assert 0 < read_wav(ours).loudness <= 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<!DOCTYPE html><html>",
        b"RIFF\0\0\0\0WAVE",
        b"ID3\x04" + bytes(100),
        riff(1, 1, 16, b""),
        riff(1, 0, 16, sixteen_bits()),
        riff(1, 1, 12, sixteen_bits()),
        riff(85, 1, 16, sixteen_bits()),
        riff(1, 1, 16, sixteen_bits())[:50],
    ],
)
def test_what_is_no_sound_is_refused(content: bytes) -> None:
    with pytest.raises(OddAnswerError) as refused:
        checked_wav(content, "Peer")
    assert refused.value.data["service"] == "Peer"


def test_a_minute_is_the_longest_sound() -> None:
    long = Sound(np.zeros((MAX_SOUND_S + 5) * 4000, np.float32), 4000)
    assert read_wav(checked_wav(write_wav(long), "Peer")).duration_s == MAX_SOUND_S


@pytest.mark.parametrize("rate_hz", [8_000, 22_050, 48_000])
def test_another_rate_keeps_the_tone_and_its_length(rate_hz: int) -> None:
    sound = Sound(TONE, RATE_HZ).at_rate(rate_hz)
    spectrum = np.abs(np.fft.rfft(sound.samples))
    assert sound.duration_s == pytest.approx(1.0)
    assert int(np.argmax(spectrum)) == 440
    assert sound.loudness == pytest.approx(Sound(TONE, RATE_HZ).loudness, rel=0.01)
