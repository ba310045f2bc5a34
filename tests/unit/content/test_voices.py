"""The voice that comes along is the one that its note describes."""

import hashlib
from pathlib import Path

VOICES = Path(__file__).parents[3] / "content" / "voices"


def test_the_french_voice_is_what_its_note_says() -> None:
    content = (VOICES / "ff_siwis.bin").read_bytes()
    assert len(content) == 510 * 1 * 256 * 4
    assert hashlib.sha256(content).hexdigest() in (VOICES / "README.md").read_text()
