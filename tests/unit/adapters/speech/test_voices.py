"""One speaker made of several: limits, lines, and who steps in."""

import asyncio

import pytest
from tests.support.turns import turns

from palabre.adapters.speech.voices import FirstSpeaker
from palabre.adapters.speech.wav import read_wav
from palabre.core.models.errors import ModelBusyError, SilentServerError, UnreachableServerError
from palabre.core.models.slots import CallSlots
from palabre.core.speech.errors import NothingToSayError, NoVoiceError
from palabre.core.speech.model import Voice
from palabre.kernel.text import text
from palabre.testing.speech import ScriptedSpeaker
from palabre.texts import say

VOICE = Voice("fr_FR-siwis-medium", "Schaeffer")
DOWN = UnreachableServerError(service="a", detail="refused")


def first(
    *speakers: ScriptedSpeaker, waiting: int = 8, timeout_s: float = 30, at_once: int = 2
) -> FirstSpeaker:
    absent = (text("voice.absent.espeak"),)
    return FirstSpeaker(speakers, CallSlots(at_once, waiting), timeout_s=timeout_s, absent=absent)


async def test_the_best_one_speaks() -> None:
    best, other = ScriptedSpeaker(), ScriptedSpeaker()
    wav = await first(best, other).speak("Bonjour.", VOICE)
    assert read_wav(wav).duration_s == pytest.approx(0.8)
    assert (best.said, other.said) == ([("Bonjour.", VOICE)], [])


async def test_another_steps_in_for_one_that_fails() -> None:
    best, other = ScriptedSpeaker(error=DOWN), ScriptedSpeaker()
    _, who = await first(best, other).say("Bonjour.", VOICE)
    assert who == "scripted"
    assert (len(best.said), len(other.said)) == (0, 1)


async def test_another_steps_in_for_one_that_lacks_the_language() -> None:
    best, other = ScriptedSpeaker(error=NoVoiceError()), ScriptedSpeaker()
    assert await first(best, other).speak("Bonjour.", VOICE)
    assert len(other.said) == 1


async def test_the_error_of_the_last_one_is_told() -> None:
    with pytest.raises(UnreachableServerError):
        await first(ScriptedSpeaker(error=NoVoiceError()), ScriptedSpeaker(error=DOWN)).speak(
            "Bonjour.", VOICE
        )


async def test_without_any_the_next_step_is_told() -> None:
    with pytest.raises(NoVoiceError) as failed:
        await first().speak("Bonjour.", VOICE)
    told = say(failed.value.text, "en")
    assert "apt install espeak-ng" in told
    assert "palabre model pull kokoro" in told


@pytest.mark.parametrize("words", ["", "  \n", "...", "🎉", "\0", "— ! ?"])
async def test_signs_alone_are_never_given_to_an_engine(words: str) -> None:
    speaker = ScriptedSpeaker()
    with pytest.raises(NothingToSayError):
        await first(speaker).speak(words, VOICE)
    assert not speaker.said


async def test_what_is_too_long_is_cut_at_1000_characters() -> None:
    speaker = ScriptedSpeaker()
    await first(speaker).speak("a" * 5000, VOICE)
    assert speaker.said == [("a" * 1000, VOICE)]


async def test_two_speak_at_once_and_the_others_wait_for_their_turn() -> None:
    speaker = ScriptedSpeaker(delay_s=0.01)
    voices = first(speaker)
    wavs = await asyncio.gather(*(voices.speak(f"Phrase {n}.", VOICE) for n in range(6)))
    assert len(wavs) == 6
    assert speaker.at_once == 2


async def test_a_full_line_is_told() -> None:
    speaker = ScriptedSpeaker()
    speaker.gates["Un."] = asyncio.Event()
    voices = first(speaker, waiting=0, at_once=1)
    speaking = asyncio.ensure_future(voices.speak("Un.", VOICE))
    await turns()
    with pytest.raises(ModelBusyError):
        await voices.speak("Deux.", VOICE)
    speaker.gates["Un."].set()
    assert await speaking


async def test_the_patience_with_a_synthesis_ends() -> None:
    speaker = ScriptedSpeaker()
    speaker.gates["Un."] = asyncio.Event()
    with pytest.raises(SilentServerError):
        await first(speaker, timeout_s=0.05).speak("Un.", VOICE)


async def test_closing_closes_all() -> None:
    one, other = ScriptedSpeaker(), ScriptedSpeaker()
    await first(one, other).aclose()
    assert one.closed
    assert other.closed
