"""`Composer` over the server at `TTS_URL`: `POST /compose` answers a WAV (seed 000 §13.2)."""

import asyncio
import struct
from dataclasses import dataclass
from struct import pack_into, unpack_from

import msgspec

from palabre.core.media.errors import MusicLengthError, NotMusicError
from palabre.core.media.model import GeneratedMusic
from palabre.core.models.errors import SilentServerError
from palabre.core.web.errors import FetchError
from palabre.core.web.ports import Gateway
from palabre.kernel.errors import UpstreamError
from palabre.wire.refusals import words_in

SERVICE = "compose"
TIMEOUT_S = 300.0
MAX_MUSIC_BYTES = 50 * 1024 * 1024
"""The largest piece that is taken (seed 000 §13.2)."""

SHORTEST_S = 0.5
SPARE_S = 30.0
"""How much longer than twice what was asked for a piece may be: servers round up."""

UNKNOWN_BYTES = 0x7FFF_0000
"""Sizes from here on, and 0, stand for "until the end": who sends before it knows writes them."""

MAX_CHUNKS = 1000
"""Of a WAV, before its samples."""

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


@dataclass(frozen=True, slots=True)
class _Sound:
    """Where the samples of a WAV are.

    Attributes:
        size_bytes: As the file says.
        rate_bytes: Bytes of one second.
    """

    start: int
    size_bytes: int
    rate_bytes: int


def checked_wav(content: bytes, asked_s: int) -> bytes:
    """Return *content* with the sizes that it really has; call it in a thread.

    Raises:
        NotMusicError: It is no WAV, or its end is missing.
        MusicLengthError: It is much shorter or longer than *asked_s*.
    """
    try:
        sound = _sound_of(content)
    except (struct.error, ValueError) as error:
        raise NotMusicError(service=SERVICE) from error
    there_bytes = len(content) - sound.start
    is_unknown = not 0 < sound.size_bytes < UNKNOWN_BYTES
    if sound.size_bytes > there_bytes and not is_unknown:
        raise NotMusicError(service=SERVICE)
    length_s = (there_bytes if is_unknown else sound.size_bytes) / sound.rate_bytes
    if not SHORTEST_S <= length_s <= 2 * asked_s + SPARE_S:
        raise MusicLengthError(service=SERVICE, length_s=round(length_s, 1), asked_s=asked_s)
    return _with_sizes(content, sound) if is_unknown else content


def _sound_of(content: bytes) -> _Sound:
    if content[:4] != b"RIFF" or content[8:12] != b"WAVE":
        raise ValueError(content[:12])
    place, rate_bytes = 12, 0
    for _ in range(MAX_CHUNKS):
        name, size_bytes = unpack_from("<4sI", content, place)
        place += 8
        if name == b"fmt ":
            (rate_bytes,) = unpack_from("<I", content, place + 8)
        if name == b"data":
            if not rate_bytes:
                raise ValueError("no format")
            return _Sound(place, size_bytes, rate_bytes)
        place += size_bytes + size_bytes % 2
    raise ValueError("no samples")


def _with_sizes(content: bytes, sound: _Sound) -> bytes:
    mended = bytearray(content)
    pack_into("<I", mended, 4, len(content) - 8)
    pack_into("<I", mended, sound.start - 4, len(content) - sound.start)
    return bytes(mended)


def _refusal(status: int, body: bytes) -> str:
    words = " ".join(words_in(body).split())[:MAX_ERROR_CHARS]
    return f"HTTP {status}: {words}" if words else f"HTTP {status}"
