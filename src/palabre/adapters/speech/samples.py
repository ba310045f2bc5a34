"""Recordings that personas sound like: `voice-samples/<name>.wav` (facts of seed 000, 3.2)."""

import re
from pathlib import Path

MAX_SAMPLE_BYTES = 10 * 1024 * 1024
MAX_NAME_CHARS = 64
_UNSAFE = re.compile(r"[^a-z0-9_-]")


class VoiceSamples:
    """The recordings in *folder*."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, persona: str) -> bytes | None:
        """Return the recording of *persona*, by its nick; None without one that is a small WAV."""
        path = self._folder / f"{sample_name(persona)}.wav"
        try:
            with path.open("rb") as file:
                content = file.read(MAX_SAMPLE_BYTES + 1)
        except OSError:
            return None
        is_wav = content[:4] == b"RIFF" and content[8:12] == b"WAVE"
        return content if is_wav and len(content) <= MAX_SAMPLE_BYTES else None


def sample_name(persona: str) -> str:
    """Return the name of the file that holds the recording of *persona*, without `.wav`."""
    return _UNSAFE.sub("_", persona.lower())[:MAX_NAME_CHARS]
