import io
import wave

import numpy as np
import pytest

from palabre.sim.script import ScriptError
from palabre.sim.speech import wav
from palabre.sim.speech.script import Answer, Task, parse_script
from palabre.sim.speech.sound import compose, speak
from palabre.sim.speech.transcripts import FORMATS, Heard

PHRASE = "Bonjour, je suis Schaeffer."


def test_every_mistake_of_a_script_is_told_at_once() -> None:
    with pytest.raises(ScriptError) as caught:
        parse_script('chars_per_s = 0\n[[answer]]\nlanguage = "french"\ntaks = "tts"')
    told = "\n".join(caught.value.problems)
    assert "chars_per_s: " in told
    assert "answer[1].language: " in told
    assert "(perhaps task)" in told


@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        (Answer(), True),
        (Answer(task=Task.SPEECH), True),
        (Answer(task=Task.COMPOSE), False),
        (Answer(when="BONJOUR", voice="ALLOY"), True),
        (Answer(when="bonsoir"), False),
        (Answer(voice="echo"), False),
    ],
)
def test_a_rule_fits_when_all_its_conditions_do(rule: Answer, fits: bool) -> None:
    assert rule.fits(Task.SPEECH, PHRASE, "alloy") is fits


def test_speech_lasts_as_long_as_its_letters_need() -> None:
    seconds = len(speak("a" * 140, "alloy", 14)) / 2 / wav.RATE
    assert seconds == pytest.approx(10, abs=0.05)
    faster = len(speak("a" * 140, "alloy", 28)) / 2 / wav.RATE
    assert faster == pytest.approx(5, abs=0.05)
    assert len(speak("", "alloy", 14)) / 2 / wav.RATE == pytest.approx(0.25, abs=0.05)


def test_speech_is_heard_and_does_not_clip() -> None:
    samples = np.frombuffer(speak(PHRASE, "alloy", 14), dtype="<i2").astype(float)
    assert 1000 < np.sqrt(np.mean(samples**2)) < 20_000
    assert np.abs(samples).max() < 32_000


def test_equal_words_sound_the_same_and_others_differ() -> None:
    assert speak(PHRASE, "alloy", 14) == speak(PHRASE, "alloy", 14)
    said = {speak(text, voice, 14) for text in (PHRASE, PHRASE + "!") for voice in ("alloy", "b")}
    assert len(said) == 4
    assert speak("a?", "alloy", 14) != speak("a!", "alloy", 14)


@pytest.mark.parametrize("duration_s", [0.1, 5, 7.3, 120])
def test_music_lasts_exactly_as_long_as_asked(duration_s: float) -> None:
    samples = compose("drone lent", duration_s)
    assert len(samples) // 2 == round(duration_s * wav.RATE)
    assert np.abs(np.frombuffer(samples, dtype="<i2")).max() > 3000


def test_a_header_is_read_by_the_standard_library_and_by_us() -> None:
    samples = speak(PHRASE, "alloy", 14)
    file = wav.header(len(samples)) + samples
    with wave.open(io.BytesIO(file)) as reader:
        assert reader.getparams()[:4] == (1, 2, 24_000, len(samples) // 2)
    assert wav.samples_of(file) == (samples, len(samples) / 48_000)


def test_samples_are_found_behind_other_chunks_and_lying_sizes() -> None:
    file = wav.header(wav.PROMISED_BYTES) + bytes(480)
    listed = file[:36] + b"LIST\x03\x00\x00\x00abc\x00" + file[36:]
    assert wav.samples_of(listed) == (bytes(480), 0.01)


@pytest.mark.parametrize("file", [b"", b"RIFF", b"ID3\x03", wav.header(0)[:36], b"RIFF0000WAVE"])
def test_what_is_no_wav_file_has_no_samples(file: bytes) -> None:
    assert wav.samples_of(file) is None


def test_subtitles_share_the_time_by_length() -> None:
    heard = Heard("Bonjour. Comment allez-vous ?", "fr", 58.0)
    assert FORMATS["srt"][0](heard) == (
        "1\n00:00:00,000 --> 00:00:18,000\nBonjour.\n\n"
        "2\n00:00:18,000 --> 00:00:58,000\nComment allez-vous ?\n\n"
    )
    assert FORMATS["vtt"][0](heard).startswith("WEBVTT\n\n00:00:00.000 --> 00:00:18.000\n")
    assert FORMATS["vtt"][0](Heard("", "fr", 3)) == "WEBVTT\n\n"
