"""Sound made of text: a voice of soft vowels, and a slow tune; 24 kHz, mono, 16 bit.

Equal requests sound the same, to the last bit; different ones differ.
"""

import hashlib
import unicodedata
import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palabre.sim.speech.wav import RATE

Wave = NDArray[np.float64]
LOUDEST = 32_767
_SHORTEST_S = 0.25
_FORMANTS_HZ = {"a": (750, 1300), "e": (450, 1900), "i": (280, 2300), "o": (450, 850)}
_FORMANTS_HZ |= {"u": (300, 750), "y": (280, 1900)}
_CONSONANT_HZ = (220, 1000)
_PENTATONIC = (0, 3, 5, 7, 10, 12, 15)
_NOTE_S = 0.5
_MARK_SAMPLES = 32


def speak(text: str, voice: str, chars_per_s: float) -> bytes:
    """Return *text* as a voice says it: a syllable for each letter, a rest for each blank."""
    pitch_hz = 110 + 130 * (zlib.crc32(voice.casefold().encode()) % 97) / 97
    size = max(8, round(RATE / chars_per_s))
    syllables = [_syllable(letter, round(pitch_hz), size) for letter in text]
    least = max(0, round(RATE * _SHORTEST_S) - size * len(text))
    wave = np.concatenate([*syllables, np.zeros(least + _MARK_SAMPLES)])
    return _samples(wave, f"{voice}\n{text}")


@lru_cache(maxsize=512)
def _syllable(letter: str, pitch_hz: int, size: int) -> Wave:
    if not letter.isalnum():
        return np.zeros(size)
    plain = unicodedata.normalize("NFD", letter.casefold())[0]
    formants = _FORMANTS_HZ.get(plain, _CONSONANT_HZ)
    loudness = 0.5 if plain in _FORMANTS_HZ else 0.15
    bent_hz = pitch_hz * (1 + ord(letter) % 31 / 310)
    time = np.arange(size) / RATE
    wave = np.zeros(size)
    for harmonic in range(1, 1 + int(3000 // bent_hz)):
        hertz = harmonic * bent_hz
        strength = sum(1 / (1 + ((hertz - formant) / 150) ** 2) for formant in formants)
        wave += (strength + 0.3 / harmonic) * np.sin(2 * np.pi * hertz * time)
    return loudness * _softened(wave / max(1e-9, float(np.abs(wave).max())))


def compose(prompt: str, duration_s: float) -> bytes:
    """Return a tune of exactly *duration_s* whose notes are taken from *prompt*."""
    digest = hashlib.sha256(prompt.encode(errors="replace")).digest()
    root_hz = 110 * 2 ** (digest[0] % 12 / 12)
    size = round(RATE * duration_s)
    notes = [
        _note(root_hz * 2 ** (_PENTATONIC[byte % len(_PENTATONIC)] / 12)) for byte in digest[1:17]
    ]
    tune = np.concatenate(notes)
    return _samples(np.resize(tune, size), f"{prompt}\n{duration_s}")


def _note(hertz: float) -> Wave:
    time = np.arange(round(RATE * _NOTE_S)) / RATE
    partials = ((1, 0.35), (2, 0.12), (1.5, 0.12))
    wave = sum(
        (loudness * np.sin(2 * np.pi * hertz * ratio * time) for ratio, loudness in partials),
        np.zeros(len(time)),
    )
    return _softened(wave * np.exp(-2 * time))


def _softened(wave: Wave) -> Wave:
    """Let *wave* begin and end in silence, so that nothing clicks."""
    edge = min(len(wave) // 4, RATE // 100)
    ramp = np.linspace(0, 1, edge)
    shape = np.concatenate([ramp, np.ones(len(wave) - 2 * edge), ramp[::-1]])
    softened: Wave = wave * shape
    return softened


def _samples(wave: Wave, source: str) -> bytes:
    """Return *wave* as samples, with an inaudible mark of *source* at the end."""
    samples = (np.clip(wave, -1, 1) * LOUDEST).astype("<i2")
    mark = np.frombuffer(hashlib.sha256(source.encode(errors="replace")).digest(), dtype=np.uint8)
    place = min(_MARK_SAMPLES, len(samples))
    samples[len(samples) - place :] = mark[:place] % 4
    return samples.tobytes()
