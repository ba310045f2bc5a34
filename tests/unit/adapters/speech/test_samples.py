from pathlib import Path

import pytest

from palabre.adapters.speech.samples import MAX_SAMPLE_BYTES, VoiceSamples, sample_name
from palabre.adapters.speech.server_voices import CloningSpeaker
from palabre.adapters.speech.servers import SpeechServer
from palabre.core.speech.errors import NoVoiceError
from palabre.core.speech.model import Voice
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
