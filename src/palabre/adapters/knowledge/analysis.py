"""Take French and English texts apart into stems."""

import re
import threading
import unicodedata
from collections.abc import Iterator

import Stemmer

from palabre.adapters.knowledge.stop_words import ENGLISH, FRENCH

MAX_TERM_CHARS = 64
MIN_PLURAL_CHARS = 3

_WORD = re.compile(r"[^\W_]+")
_ELISION = re.compile(r"\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu)['’ʼ](?=\w)")
_LIGATURES = str.maketrans({"œ": "oe", "æ": "ae"})
_STOP_WORDS = FRENCH | ENGLISH


class StemmingAnalyser:
    """`Analyser` for French and English.

    Elisions, accents and words that say nothing are taken away, the rest is stemmed in the
    language that a text seems to be in: in both where it shows none.
    """

    name = "fr-en-1"

    def __init__(self) -> None:
        # A stemmer is not made for several threads at once.
        self._own = threading.local()

    def terms(self, text: str) -> list[str]:
        words = _words(text)
        stemmers = self._stemmers_for(words)
        return [term for word in words if _says_something(word) for term in _terms(word, stemmers)]

    def _stemmers_for(self, words: list[str]) -> tuple[Stemmer.Stemmer, ...]:
        french = sum(word in FRENCH for word in words)
        english = sum(word in ENGLISH for word in words)
        both = self._stemmers()
        if french == english:
            return both
        return (both[0],) if french > english else (both[1],)

    def _stemmers(self) -> tuple[Stemmer.Stemmer, Stemmer.Stemmer]:
        if not hasattr(self._own, "stemmers"):
            self._own.stemmers = (Stemmer.Stemmer("french"), Stemmer.Stemmer("english"))
        stemmers: tuple[Stemmer.Stemmer, Stemmer.Stemmer] = self._own.stemmers
        return stemmers


def _words(text: str) -> list[str]:
    plain = _ELISION.sub(" ", text.casefold().translate(_LIGATURES))
    return _WORD.findall(_without_accents(plain))


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(each for each in decomposed if not unicodedata.combining(each))


def _says_something(word: str) -> bool:
    return word not in _STOP_WORDS and (len(word) > 1 or not word.isascii() or word.isdigit())


def _terms(word: str, stemmers: tuple[Stemmer.Stemmer, ...]) -> Iterator[str]:
    # French stems keep the plural of words such as "micros".
    one = word.rstrip("sx") if len(word) > MIN_PLURAL_CHARS else word
    yield from dict.fromkeys(each.stemWord(one[:MAX_TERM_CHARS]) for each in stemmers)
