"""What is heard and said."""

from dataclasses import dataclass
from typing import Literal

SpokenLanguage = Literal["fr", "en"]

SAMPLE_RATE_HZ = 16_000
"""Of the sound that transcribers get: 16 bit, one channel."""


@dataclass(frozen=True, slots=True)
class Voice:
    """How somebody sounds.

    Attributes:
        name: A voice of the seed's table, such as `fr_FR-siwis-medium` (seed 000 §7).
        speaker: Nick of the persona that speaks; servers with voices of their own choose by it.
        sample: A recording (WAV) to sound like; None without one.
    """

    name: str
    speaker: str = ""
    sample: bytes | None = None

    @property
    def language(self) -> SpokenLanguage:
        """Of the words that it speaks well."""
        return "en" if self.name.startswith("en") else "fr"


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was recognised in a recording.

    Attributes:
        text: Empty when nothing was recognised: silence, noise, music.
        language: As heard or as told, such as `fr`.
        model: Who listened.
        duration_s: Of the recording.
    """

    text: str
    language: str
    model: str
    duration_s: float
