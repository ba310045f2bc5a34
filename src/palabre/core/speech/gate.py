"""What of a recogniser's words is to be believed. Pure.

Whisper writes something for every recording: for silence and noise, what often stood below silent
films. What it thinks of its own words tells them apart.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_NO_SPEECH = 0.6
MIN_LOGPROB_OF_SPEECH = -0.5
MIN_LOGPROB = -1.0
MAX_COMPRESSION = 2.4
LONGEST_CREDITS_CHARS = 120

_CREDITS = re.compile(
    r"^\W*(?:sous-?titr(?:age|es)\b.*(?:amara|st'? ?501|radio-canada|communaut|soustitreur|par )"
    r"|amara\.org|merci d'avoir regard[ée] (?:cette|la) vid[ée]o"
    r"|subtitles? by\b|thanks? (?:you )?for watching)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A stretch of what was recognised; a measure that the recogniser does not tell is None.

    Attributes:
        logprob: Mean of its tokens' log probabilities.
        no_speech: Probability that nobody speaks.
        compression: How much shorter `zlib` makes it: loops compress well.
    """

    text: str
    logprob: float | None = None
    no_speech: float | None = None
    compression: float | None = None


def believed(phrases: Iterable[Phrase]) -> str:
    """Return the words of the *phrases* that somebody said; empty if nobody did."""
    every = list(phrases)
    whole = _joined(every)
    if len(whole) <= LONGEST_CREDITS_CHARS and _CREDITS.match(whole):
        return ""  # cut into phrases at the full stop of an address
    return _joined(each for each in every if _is_speech(each))


def _joined(phrases: Iterable[Phrase]) -> str:
    return " ".join(" ".join(each.text for each in phrases).split())


def _is_speech(phrase: Phrase) -> bool:
    unsure = phrase.logprob is None or phrase.logprob < MIN_LOGPROB_OF_SPEECH
    if (phrase.no_speech or 0.0) > MAX_NO_SPEECH and unsure:
        return False
    if (phrase.logprob or 0.0) < MIN_LOGPROB or (phrase.compression or 0.0) > MAX_COMPRESSION:
        return False
    return bool(_WORD.search(phrase.text)) and not _CREDITS.match(phrase.text.strip())
