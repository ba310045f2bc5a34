"""A speaker that notes what it is to say."""

import asyncio
import io
import wave

from palabre.core.speech.model import Voice
from palabre.kernel.errors import UpstreamError


class ScriptedSpeaker:
    """Says nothing, in a WAV of one millisecond for each character.

    Attributes:
        said: The words so far and whose voice spoke them, in order.
        at_once: Most calls that ran at the same time.
        failing: Words for which it fails.
        gates: Words that wait until the test opens their gate.
    """

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []
        self.at_once = 0
        self.failing: set[str] = set()
        self.gates: dict[str, asyncio.Event] = {}
        self._speaking = 0

    async def speak(self, words: str, voice: Voice) -> bytes:
        """Note *words* and return silence."""
        self._speaking += 1
        self.at_once = max(self.at_once, self._speaking)
        try:
            if gate := self.gates.get(words):
                await gate.wait()
            await asyncio.sleep(0)
            if words in self.failing:
                raise UpstreamError(detail="no voice")
            self.said.append((voice.speaker, words))
            return silence(len(words))
        finally:
            self._speaking -= 1

    async def aclose(self) -> None:
        """Do nothing."""


def silence(duration_ms: int, rate_hz: int = 16_000) -> bytes:
    """Return a WAV of so much silence."""
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes(bytes(2 * rate_hz * duration_ms // 1000))
    return content.getvalue()
