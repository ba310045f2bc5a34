"""Voices of servers: OpenAI's route, the sidecar of seed 000, one that copies a recording."""

import asyncio
import base64
from collections.abc import Callable

from palabre.adapters.speech.servers import SpeechServer
from palabre.core.speech.errors import NoVoiceError
from palabre.core.speech.model import Voice


class OpenAISpeaker:
    """A server with `POST /audio/speech`.

    Args:
        server: At an address up to and with `/v1`.
        model: The server's name of the model.
        voice: The server's name of a voice; empty sends the persona's.
    """

    def __init__(self, server: SpeechServer, model: str, voice: str) -> None:
        self.name = server.name
        self._server = server
        self._model = model
        self._voice = voice

    async def speak(self, words: str, voice: Voice) -> bytes:
        """Say *words*; raises as `SpeechServer.post_json`."""
        body = {
            "model": self._model,
            "input": words,
            "voice": self._voice or voice.name,
            "response_format": "wav",
        }
        return await self._server.post_json("/audio/speech", body)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._server.aclose()


class SidecarSpeaker:
    """The server at `TTS_URL`: `POST /tts`. It chooses a voice by the persona's nick."""

    def __init__(self, server: SpeechServer) -> None:
        self.name = server.name
        self._server = server

    async def speak(self, words: str, voice: Voice) -> bytes:
        """Say *words*; raises as `SpeechServer.post_json`."""
        body = {
            "text": words,
            "persona": voice.speaker.lower(),
            "speaker": "",
            "instruct": "",
            "language": voice.language,
        }
        return await self._server.post_json("/tts", body)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._server.aclose()


class CloningSpeaker:
    """A server that sounds like a recording: `POST /clone`.

    Args:
        server: Where it is.
        samples: Finds the recording of a persona by its nick; None where there is none.
    """

    def __init__(
        self, server: SpeechServer, samples: Callable[[str], bytes | None] = lambda _: None
    ) -> None:
        self.name = server.name
        self._server = server
        self._samples = samples

    async def speak(self, words: str, voice: Voice) -> bytes:
        """Say *words* as *voice* sounds in its sample.

        Raises:
            NoVoiceError: It has no sample.
            UpstreamError: As `SpeechServer.post_json`.
        """
        sample = voice.sample or await asyncio.to_thread(self._samples, voice.speaker)
        if sample is None:
            raise NoVoiceError
        reference = base64.b64encode(sample).decode("ascii")
        body = {"text": words, "reference": reference, "language": voice.language}
        return await self._server.post_json("/clone", body)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._server.aclose()
