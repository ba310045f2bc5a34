"""`Composer` over the server at `TTS_URL`: `POST /compose` answers a WAV (seed 000 §13.2)."""

import asyncio

import msgspec

from palabre.core.media.errors import MusicLengthError, NotMusicError
from palabre.core.media.model import GeneratedMusic
from palabre.core.models.errors import SilentServerError
from palabre.core.web.errors import FetchError
from palabre.core.web.ports import Gateway
from palabre.kernel.errors import UpstreamError
from palabre.wire.refusals import words_in
from palabre.wire.wav import NoWavError, read_header, with_sizes

SERVICE = "compose"
TIMEOUT_S = 300.0
MAX_MUSIC_BYTES = 50 * 1024 * 1024
"""The largest piece that is taken (seed 000 §13.2)."""

SHORTEST_S = 0.5
SPARE_S = 30.0
"""How much longer than twice what was asked for a piece may be: servers round up."""

MAX_ERROR_CHARS = 300


class SidecarComposer:
    """Asks one server.

    Args:
        gateway: Trusts *url*.
        url: What `/compose` is added to.
        timeout_s: Longest work on one piece.
    """

    def __init__(self, gateway: Gateway, url: str, *, timeout_s: float = TIMEOUT_S) -> None:
        self._gateway = gateway
        self._url = url.rstrip("/")
        self._timeout_s = timeout_s

    async def compose(self, prompt: str, duration_s: int) -> GeneratedMusic:
        body = await self._asked(prompt, duration_s)
        content = await asyncio.to_thread(checked_wav, body, duration_s)
        return GeneratedMusic(content, "audio/wav")

    async def _asked(self, prompt: str, duration_s: int) -> bytes:
        try:
            answer = await self._gateway.fetch(
                f"{self._url}/compose",
                method="POST",
                headers={"content-type": "application/json", "accept": "audio/wav"},
                content=msgspec.json.encode({"prompt": prompt, "duration": duration_s}),
                max_bytes=MAX_MUSIC_BYTES,
                timeout_s=self._timeout_s,
            )
        except FetchError as error:
            if error.reason == "timeout":
                raise SilentServerError(service=SERVICE) from error
            raise
        if answer.status >= 400:  # noqa: PLR2004  (HTTP)
            raise UpstreamError(detail=_refusal(answer.status, answer.body))
        return answer.body


def checked_wav(content: bytes, asked_s: int) -> bytes:
    """Return *content* with the sizes that it really has; call it in a thread.

    Raises:
        NotMusicError: It is no WAV, or its end is missing.
        MusicLengthError: It is much shorter or longer than *asked_s*.
    """
    try:
        header = read_header(content)
    except NoWavError as error:
        raise NotMusicError(service=SERVICE) from error
    there_bytes = len(content) - header.start
    length_bytes = there_bytes if header.is_open else header.promised_bytes
    if length_bytes > there_bytes or not header.rate_bytes:
        raise NotMusicError(service=SERVICE)
    length_s = length_bytes / header.rate_bytes
    if not SHORTEST_S <= length_s <= 2 * asked_s + SPARE_S:
        raise MusicLengthError(service=SERVICE, length_s=round(length_s, 1), asked_s=asked_s)
    return with_sizes(content, header) if header.is_open else content


def _refusal(status: int, body: bytes) -> str:
    words = " ".join(words_in(body).split())[:MAX_ERROR_CHARS]
    return f"HTTP {status}: {words}" if words else f"HTTP {status}"
