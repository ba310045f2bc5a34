"""What was heard, in the forms of OpenAI's transcription API."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from palabre.sim.ledger import JsonObject

JSON, TEXT = "application/json", "text/plain; charset=utf-8"
LANGUAGES = {"de": "german", "en": "english", "es": "spanish", "fr": "french", "it": "italian"}
_SENTENCE = re.compile(r"[^.!?…]+[.!?…]*\s*")


@dataclass(frozen=True, slots=True)
class Heard:
    """A transcription; an empty text is nothing recognised."""

    text: str
    language: str
    duration_s: float

    def segments(self) -> Iterator[tuple[float, float, str]]:
        """Yield begin, end and text of each sentence; time is shared by length."""
        per_char_s = self.duration_s / max(1, len(self.text))
        for sentence in _SENTENCE.finditer(self.text):
            begin, end = (place * per_char_s for place in sentence.span())
            yield begin, end, sentence.group().strip()


def _json(heard: Heard) -> str:
    return _dump({"text": heard.text, "usage": _usage(heard)})


def _verbose(heard: Heard) -> str:
    language = LANGUAGES.get(heard.language, heard.language)
    segments = [_segment(number, *each) for number, each in enumerate(heard.segments())]
    return _dump(
        {
            "task": "transcribe",
            "language": language,
            "duration": round(heard.duration_s, 2),
            "text": heard.text,
            "segments": segments,
            "usage": _usage(heard),
        }
    )


def _segment(number: int, begin_s: float, end_s: float, text: str) -> JsonObject:
    return {
        "id": number,
        "seek": 0,
        "start": round(begin_s, 2),
        "end": round(end_s, 2),
        "text": f" {text}",
        "tokens": [],
        "temperature": 0.0,
        "avg_logprob": -0.2,
        "compression_ratio": 1.2,
        "no_speech_prob": 0.01,
    }


def _usage(heard: Heard) -> JsonObject:
    return {"type": "duration", "seconds": max(1, round(heard.duration_s))}


def _text(heard: Heard) -> str:
    return f"{heard.text}\n"


def _srt(heard: Heard) -> str:
    return "".join(
        f"{number}\n{_clock(begin, ',')} --> {_clock(end, ',')}\n{text}\n\n"
        for number, (begin, end, text) in enumerate(heard.segments(), start=1)
    )


def _vtt(heard: Heard) -> str:
    cues = (
        f"{_clock(begin, '.')} --> {_clock(end, '.')}\n{text}\n\n"
        for begin, end, text in heard.segments()
    )
    return "WEBVTT\n\n" + "".join(cues)


def _clock(time_s: float, point: str) -> str:
    minutes, milliseconds = divmod(round(time_s * 1000), 60_000)
    seconds, rest = divmod(milliseconds, 1000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}{point}{rest:03}"


def _dump(thing: JsonObject) -> str:
    return msgspec.json.encode(thing).decode()


FORMATS: dict[str, tuple[Callable[[Heard], str], str]] = {
    "json": (_json, JSON),
    "verbose_json": (_verbose, JSON),
    "text": (_text, TEXT),
    "srt": (_srt, TEXT),
    "vtt": (_vtt, TEXT),
}
"""How each `response_format` is written, and its media type."""
