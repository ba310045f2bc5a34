"""Who speaks and who listens."""

from typing import Protocol

from palabre.core.speech.model import Transcript, Voice


class Speaker(Protocol):
    """Says words aloud."""

    async def speak(self, words: str, voice: Voice) -> bytes:
        """Return *words* as a WAV (PCM, 16 bit, one channel), its sizes right.

        A speaker without that voice takes its nearest one.

        Raises:
            NothingToSayError: There is no word in *words*.
            UpstreamError: It cannot speak now, or not within its time.
        """
        ...

    async def aclose(self) -> None:
        """Give back connections and child processes."""
        ...


class Transcriber(Protocol):
    """Writes down what is said."""

    async def transcribe(self, wav: bytes, language: str = "") -> Transcript:
        """Return what is said in *wav* (PCM, 16 bit, one channel, `SAMPLE_RATE_HZ`).

        *language* (two letters) is what its sender says it is in; empty leaves that to the
        settings.

        Raises:
            UpstreamError: It cannot listen now, or not within its time.
        """
        ...

    async def aclose(self) -> None:
        """Give back connections, threads and models."""
        ...
