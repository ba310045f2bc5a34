"""Which voice stands in, and what the robot is told."""

import sys
from pathlib import Path

import pytest

from palabre.adapters.speech.engines import EspeakSpeaker, KokoroSpeaker, PiperSpeaker
from palabre.core.speech.errors import NoVoiceError
from palabre.core.speech.model import Voice
from palabre.kernel.errors import UpstreamError

VOICES = {name: Path(name) for name in ("en_US-joe-medium", "fr_FR-upmc-medium", "fr_FR-siwis-low")}


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [
        ("fr_FR-siwis-low", "fr_FR-siwis-low"),
        ("fr_FR-gilles-low", "fr_FR-upmc-medium"),
        ("en_GB-alan-medium", "en_US-joe-medium"),
        ("", "fr_FR-upmc-medium"),
    ],
)
def test_an_absent_voice_is_replaced_by_one_of_its_language(wanted: str, taken: str) -> None:
    assert PiperSpeaker(VOICES).nearest(Voice(wanted)) == taken


async def test_a_language_without_a_voice_is_left_to_others() -> None:
    with pytest.raises(NoVoiceError):
        await PiperSpeaker({"en_US-joe-medium": Path("x")}).speak("Oui", Voice("fr_FR-x"))
    with pytest.raises(NoVoiceError):
        await KokoroSpeaker(Path("x"), {"fr": Path("x")}).speak("Yes", Voice("en_GB-x"))


async def test_no_word_becomes_an_option_of_the_robot(tmp_path: Path) -> None:
    program = tmp_path / "espeak-ng"
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "assert sys.stdin.buffer.read().decode() == '--path=/ Où ?'\n"
        "print(*sys.argv[1:], end='')\n"
    )
    program.chmod(0o700)
    told = await EspeakSpeaker(str(program)).speak("--path=/ Où ?", Voice("fr_FR-x"))
    assert told == b"-v fr -b 1 --stdin --stdout"


async def test_a_robot_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(UpstreamError) as failed:
        await EspeakSpeaker(str(tmp_path / "espeak-ng")).speak("Oui", Voice("fr_FR-x"))
    assert "No such file" in str(failed.value.data["detail"])


async def test_a_robot_that_fails_is_told(tmp_path: Path) -> None:
    program = tmp_path / "espeak-ng"
    program.write_text("#!/bin/sh\ncat >/dev/null\nexit 3\n")
    program.chmod(0o700)
    with pytest.raises(UpstreamError) as failed:
        await EspeakSpeaker(str(program)).speak("Oui", Voice("fr_FR-x"))
    assert failed.value.data["detail"] == "espeak-ng: exit code 3"
