"""A voice and ears that do what a script says."""

import asyncio
import io
import wave

from palabre.core.speech.errors import NothingToSayError
from palabre.core.speech.model import SAMPLE_RATE_HZ, Transcript, Voice
from palabre.kernel.errors import UpstreamError

SAMPLE_BYTES = 2


def silence(duration_s: float = 0.1, rate_hz: int = SAMPLE_RATE_HZ) -> bytes:
    """Return a WAV in which nothing is heard."""
    return sounding(bytes(SAMPLE_BYTES * int(duration_s * rate_hz)), rate_hz)


def sounding(samples: bytes, rate_hz: int = SAMPLE_RATE_HZ) -> bytes:
    """Return *samples* (16 bit, one channel) as a WAV."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(SAMPLE_BYTES)
        writer.setframerate(rate_hz)
        writer.writeframes(samples)
    return file.getvalue()


class ScriptedSpeaker:
    """Says everything as a WAV of its own, which holds a tenth of a second for each letter.

    Attributes:
        said: Words that were said to their end so far, and voices.
        at_once: Most syntheses that ran at the same time.
        closed: Whether it was closed.
        error: Raised instead of speaking, while it is set.
        failing: Words for which it fails.
        gates: Waited for before these words are said: the test says when.
        delay_s: Wait before each answer.
    """

    name = "scripted"

    def __init__(self, *, error: UpstreamError | None = None, delay_s: float = 0.0) -> None:
        self.said: list[tuple[str, Voice]] = []
        self.at_once = 0
        self.closed = False
        self.error = error
        self.failing: set[str] = set()
        self.gates: dict[str, asyncio.Event] = {}
        self.delay_s = delay_s
        self._running = 0

    async def speak(self, words: str, voice: Voice) -> bytes:
        """Record *words*, wait as the script says, and return their sound."""
        if not any(char.isalnum() for char in words):
            raise NothingToSayError
        self._running += 1
        self.at_once = max(self.at_once, self._running)
        try:
            if words in self.gates:
                await self.gates[words].wait()
            await asyncio.sleep(self.delay_s)
        finally:
            self._running -= 1
        if self.error is not None:
            raise self.error
        if words in self.failing:
            raise UpstreamError(detail="no voice")
        self.said.append((words, voice))
        return silence(min(len(words), 100) / 10)

    async def aclose(self) -> None:
        """Note that it was closed."""
        self.closed = True


class ScriptedTranscriber:
    """Hears its texts in order, the last one again and again.

    Attributes:
        heard: Recordings so far.
        languages: What they were said to be in.
        closed: Whether it was closed.
        error: Raised instead of listening, while it is set.
    """

    name = "scripted"

    def __init__(self, *texts: str, error: UpstreamError | None = None) -> None:
        self._texts = list(texts or ("",))
        self.heard: list[bytes] = []
        self.languages: list[str] = []
        self.closed = False
        self.error = error

    async def transcribe(self, wav: bytes, language: str = "") -> Transcript:
        """Record *wav* and *language*, and return the next text."""
        self.heard.append(wav)
        self.languages.append(language)
        if self.error is not None:
            raise self.error
        text = self._texts.pop(0) if len(self._texts) > 1 else self._texts[0]
        with wave.open(io.BytesIO(wav)) as reader:
            duration_s = reader.getnframes() / reader.getframerate()
        return Transcript(text, language or "fr", self.name, duration_s)

    async def aclose(self) -> None:
        """Note that it was closed."""
        self.closed = True
