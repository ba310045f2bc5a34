"""Vectors without a model: equal texts are equal, texts with common words are near."""

import hashlib
import math
import re

_WORD = re.compile(r"\w+")
_PLACES = 8


def embed(text: str, dims: int) -> list[float]:
    """Return a unit vector of *dims* numbers that depends on *text* alone."""
    vector = [0.0] * dims
    for word in _WORD.findall(text.casefold()) or [text]:
        _add(vector, word)
    length = math.sqrt(sum(number * number for number in vector))
    if length == 0:  # words can cancel each other out in a short vector
        return [1.0] + [0.0] * (dims - 1)
    return [number / length for number in vector]


def _add(vector: list[float], word: str) -> None:
    digest = hashlib.blake2b(
        word.encode("utf-8", "surrogatepass"), digest_size=4 * _PLACES
    ).digest()
    for start in range(0, len(digest), 4):
        number = int.from_bytes(digest[start : start + 4])
        vector[(number >> 1) % len(vector)] += 1.0 if number & 1 else -1.0
