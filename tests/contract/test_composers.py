"""Every `Composer` makes music, or says why not; the sidecar against its simulator."""

import io
import wave

import pytest

from palabre.adapters.media.sidecar_composer import SidecarComposer
from palabre.adapters.web.gateway import HttpGateway
from palabre.core.media.errors import MusicLengthError, NotMusicError
from palabre.core.models.errors import SilentServerError
from palabre.core.web.errors import FetchError
from palabre.kernel.errors import UpstreamError
from palabre.testing.media import ScriptedComposer, a_wav
from palabre.testing.simulators import speech


def asking(url: str, timeout_s: float = 30) -> SidecarComposer:
    return SidecarComposer(HttpGateway(trusted=[url]), url, timeout_s=timeout_s)


def length_s(wav: bytes) -> float:
    with wave.open(io.BytesIO(wav)) as file:
        return file.getnframes() / file.getframerate()


async def test_the_fake_makes_a_real_wav() -> None:
    made = await ScriptedComposer(a_wav(2)).compose("drone", 5)
    assert (made.mime, length_s(made.content)) == ("audio/wav", 2)


async def test_music_is_as_long_as_asked_for() -> None:
    async with speech() as url:
        made = await asking(url).compose("ambient drone", 5)
    assert (made.mime, round(length_s(made.content))) == ("audio/wav", 5)


async def test_sizes_that_a_server_did_not_know_yet_are_mended() -> None:
    async with speech('[[answer]]\nerror = "lying"') as url:
        made = await asking(url).compose("ambient drone", 5)
    assert round(length_s(made.content)) == 5
    assert int.from_bytes(made.content[4:8], "little") == len(made.content) - 8


@pytest.mark.parametrize(
    ("rule", "error", "words"),
    [
        ('error = "http"\nstatus = 503', UpstreamError, "HTTP 503: The server had an error"),
        ('error = "busy"', UpstreamError, "HTTP 429: Too many requests"),
        ('error = "cut"', FetchError, "broken"),
        ('error = "hang"', SilentServerError, "compose"),
        ('error = "not_audio"', NotMusicError, ""),
        ('error = "too_large"', FetchError, "size"),
    ],
)
async def test_each_fault_of_the_server_is_told(
    rule: str, error: type[UpstreamError], words: str
) -> None:
    async with speech(f"[[answer]]\n{rule}") as url:
        with pytest.raises(error) as caught:
            await asking(url, timeout_s=1).compose("ambient drone", 5)
    assert words in str(caught.value.data)


async def test_music_of_quite_another_length_is_none() -> None:
    async with speech('large_bytes = 10_000_000\n[[answer]]\nerror = "too_large"') as url:
        with pytest.raises(MusicLengthError) as caught:
            await asking(url).compose("ambient drone", 5)
    assert caught.value.data["asked_s"] == 5


async def test_nobody_at_the_address_is_told() -> None:
    with pytest.raises(FetchError) as caught:
        await asking("http://127.0.0.1:9").compose("ambient drone", 5)
    assert caught.value.reason == "unreachable"
