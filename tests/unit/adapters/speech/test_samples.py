import struct
from pathlib import Path

import pytest

from palabre.adapters.speech.samples import MAX_SAMPLE_BYTES, VoiceSamples, sample_name
from palabre.adapters.speech.server_voices import CloningSpeaker
from palabre.adapters.speech.servers import SpeechServer
from palabre.core.speech.errors import NoVoiceError
from palabre.core.speech.model import Voice
from palabre.kernel.errors import StorageError
from palabre.testing.simulators import speech
from palabre.testing.speech import silence


@pytest.mark.parametrize(
    ("nick", "name"),
    [
        ("Batty", "batty"),
        ("Royal de Luxe", "royal_de_luxe"),
        ("../../etc/x", "______etc_x"),
        ("a" * 80, "a" * 64),
    ],
)
def test_a_recording_is_found_by_the_seeds_file_name(nick: str, name: str) -> None:
    assert sample_name(nick) == name


def test_only_small_waves_are_recordings(tmp_path: Path) -> None:
    samples = VoiceSamples(tmp_path)
    assert samples.find("Batty") is None
    file = tmp_path / "batty.wav"
    file.write_bytes(b"no sound")
    assert samples.find("Batty") is None
    file.write_bytes(silence() + bytes(MAX_SAMPLE_BYTES))
    assert samples.find("Batty") is None
    file.write_bytes(silence())
    assert samples.find("Batty") == silence()


async def test_a_persona_with_a_recording_is_cloned_and_others_are_not(tmp_path: Path) -> None:
    (tmp_path / "batty.wav").write_bytes(silence())
    async with speech() as url:
        speaker = CloningSpeaker(SpeechServer("/clone", url), VoiceSamples(tmp_path).find)
        assert (await speaker.speak("Bonjour à tous.", Voice("", "Batty"))).startswith(b"RIFF")
        with pytest.raises(NoVoiceError):
            await speaker.speak("Bonjour à tous.", Voice("", "Radigue"))
        await speaker.aclose()


def wave_bytes(*, kind: int = 1, bits: int = 16, channels: int = 1, rate_hz: int = 16_000) -> bytes:
    frame = channels * bits // 8
    header = struct.pack("<HHIIHH", kind, channels, rate_hz, rate_hz * frame, frame, bits)
    samples = bytes(rate_hz // 5 * frame)
    chunks = b"fmt " + struct.pack("<I", 16) + header
    chunks += b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


@pytest.mark.parametrize(
    "changed",
    [{}, {"kind": 3, "bits": 32}, {"bits": 8}, {"bits": 24, "channels": 2}, {"rate_hz": 192_000}],
)
async def test_waves_of_numbers_are_recordings(changed: dict[str, int], tmp_path: Path) -> None:
    assert await VoiceSamples(tmp_path).fault_of(wave_bytes(**changed), 0.2) == ""


@pytest.mark.parametrize(
    ("wav", "fault"),
    [
        (b"", "no RIFF header"),
        (b"ID3" + bytes(100), "no RIFF header"),
        (wave_bytes()[:30], "no fmt or data chunk"),
        (wave_bytes(kind=85), "format 85, 16 bit"),
        (wave_bytes(bits=0), "format 1, 0 bit"),
        (wave_bytes(channels=0), "0 channels"),
        (wave_bytes(channels=9), "9 channels"),
        (wave_bytes(rate_hz=0), "0 Hz"),
        (wave_bytes(rate_hz=3999), "3999 Hz"),
        (wave_bytes()[:100], "0.002 s"),
    ],
)
async def test_what_is_wrong_with_others_is_told(wav: bytes, fault: str, tmp_path: Path) -> None:
    assert await VoiceSamples(tmp_path).fault_of(wav, 0.2) == fault


async def test_a_recording_is_kept_renamed_and_removed(tmp_path: Path) -> None:
    samples = VoiceSamples(tmp_path / "voice-samples")
    assert await samples.size_bytes("Batty") is None
    await samples.remove("Batty")
    await samples.rename("Batty", "Roy")
    await samples.put("Batty", wave_bytes())
    await samples.rename("Batty", "BATTY")
    assert samples.find("batty") == wave_bytes()
    await samples.rename("Batty", "Roy Batty")
    assert samples.path("Roy Batty") == "voice-samples/roy_batty.wav"
    assert await samples.size_bytes("Roy Batty") == len(wave_bytes())
    assert await samples.size_bytes("Batty") is None
    await samples.remove("Roy Batty")
    assert list((tmp_path / "voice-samples").iterdir()) == []


async def test_where_nothing_can_be_kept_that_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError):
        await VoiceSamples(tmp_path / "file").put("Batty", wave_bytes())
