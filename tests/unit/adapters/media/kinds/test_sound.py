"""Recordings of every kind, with and without FFmpeg."""

import io
import struct
import wave
from collections.abc import Iterator

import av
import numpy as np
import pytest

from palabre.adapters.media.job import Job
from palabre.adapters.media.kinds import ffmpeg_sound, wave_sound
from palabre.adapters.media.kinds.sound import MAX_LENGTH_S, read
from palabre.adapters.media.worker_reader import FILE_LIMITS
from palabre.core.media.errors import FileUnreadableError
from palabre.core.speech.model import SAMPLE_RATE_HZ
from palabre.testing.documents import sound_file


def encoded(container: str, codec: str, rate_hz: int) -> bytes:
    """Return a second of a tone, encoded."""
    held = io.BytesIO()
    with av.open(held, "w", format=container) as target:
        stream = target.add_stream(codec, rate=rate_hz, layout="mono")
        for frame in _tone(stream, rate_hz):
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return held.getvalue()


def _tone(stream: av.AudioStream, rate_hz: int) -> Iterator[av.AudioFrame]:
    values = (np.sin(np.arange(rate_hz) * 2 * np.pi * 440 / rate_hz) * 9000).astype(np.int16)
    frame = av.AudioFrame.from_ndarray(values.reshape(1, -1), format="s16", layout="mono")
    frame.sample_rate = rate_hz
    size = stream.codec_context.frame_size or 1024
    shape = av.AudioResampler(stream.format.name, "mono", rate_hz, frame_size=size)
    yield from [*shape.resample(frame), *shape.resample(None)]


def tone_hz(pcm: bytes) -> float:
    """Return the strongest frequency."""
    heard = np.abs(np.fft.rfft(np.frombuffer(pcm, "<i2").astype(float)))
    return float(heard.argmax() * SAMPLE_RATE_HZ / (len(pcm) / 2))


@pytest.mark.parametrize(
    ("form", "container", "codec", "rate_hz"),
    [
        ("wav", "wav", "pcm_s16le", 44_100),
        ("wav", "wav", "pcm_f32le", 8000),
        ("mp3", "mp3", "mp3", 44_100),
        ("ogg", "ogg", "libopus", 48_000),
        ("m4a", "ipod", "aac", 44_100),
        ("flac", "flac", "flac", 96_000),
    ],
)
def test_every_kind_becomes_the_same_sound(
    form: str, container: str, codec: str, rate_hz: int
) -> None:
    content = encoded(container, codec, rate_hz)
    found = read(Job(form, (content,), FILE_LIMITS)).reading.wav
    assert found is not None
    with wave.open(io.BytesIO(found)) as sound:
        pcm = sound.readframes(sound.getnframes())
    assert len(pcm) / 2 == pytest.approx(SAMPLE_RATE_HZ, rel=0.1)
    assert tone_hz(pcm) == pytest.approx(440, abs=3)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("rate_hz", [8000, 16_000, 44_100])
def test_plain_wave_needs_no_ffmpeg(width: int, rate_hz: int) -> None:
    held = io.BytesIO()
    with wave.open(held, "wb") as target:
        target.setnchannels(2)
        target.setsampwidth(width)
        target.setframerate(rate_hz)
        values = np.sin(np.arange(rate_hz) * 2 * np.pi * 440 / rate_hz) * 0.3
        whole = (values * 2 ** (8 * width - 1)).astype(np.int64) + (128 if width == 1 else 0)
        frames = (int(v).to_bytes(width, "little", signed=width > 1) * 2 for v in whole)
        target.writeframes(b"".join(frames))
    pcm = b"".join(wave_sound.samples(held.getvalue(), "wav"))
    assert len(pcm) // 2 == SAMPLE_RATE_HZ
    assert tone_hz(pcm) == pytest.approx(440, abs=3)
    loudest = np.abs(np.frombuffer(pcm, "<i2")).max()
    assert loudest == pytest.approx(0.3 * 32_768, rel=0.05)


@pytest.mark.parametrize("decoder", [ffmpeg_sound, wave_sound])
@pytest.mark.parametrize("size", [0xFFFFFFFF, 0x80000000, 900_000_000])
def test_a_size_that_lies_ends_with_the_file(decoder: object, size: int) -> None:
    content = bytearray(sound_file(length_s=2, rate_hz=16_000, channels=1))
    struct.pack_into("<I", content, 4, size)
    struct.pack_into("<I", content, 40, size)
    pcm = b"".join(decoder.samples(bytes(content), "wav"))  # type: ignore[attr-defined]
    assert len(pcm) == 2 * SAMPLE_RATE_HZ * 2


def test_what_follows_the_tenth_minute_is_left_out() -> None:
    content = sound_file(length_s=MAX_LENGTH_S + 60, rate_hz=1000, channels=1)
    found = read(Job("wav", (content,), FILE_LIMITS)).reading
    assert found.is_cut
    assert found.wav is not None
    assert len(found.wav) == MAX_LENGTH_S * SAMPLE_RATE_HZ * 2 + 44


@pytest.mark.parametrize("decoder", [ffmpeg_sound, wave_sound])
def test_a_recording_of_nonsense_is_damaged(decoder: object) -> None:
    with pytest.raises(FileUnreadableError):
        list(decoder.samples(b"RIFF\x10\0\0\0WAVEfmt \xff\xff", "wav"))  # type: ignore[attr-defined]


def test_a_recording_without_a_sound_is_told_so() -> None:
    with pytest.raises(FileUnreadableError) as caught:
        read(Job("wav", (sound_file(length_s=0),), FILE_LIMITS))
    assert caught.value.reason == "file_reason.no_sound"
