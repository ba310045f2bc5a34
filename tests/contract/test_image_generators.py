"""Every `ImageGenerator` makes a picture, or says why not; ComfyUI against its simulator."""

import asyncio
import json
from itertools import count
from typing import Any

import httpx2
import pytest

from palabre.adapters.media.comfyui import ComfyUIImageGenerator
from palabre.adapters.media.comfyui_picture import mime_of
from palabre.adapters.web.gateway import HttpGateway
from palabre.core.media.errors import (
    GenerationInterruptedError,
    NoPictureError,
    NotAPictureError,
    PictureTooLargeError,
)
from palabre.core.models.errors import SilentServerError
from palabre.core.web.errors import FetchError
from palabre.kernel.errors import UpstreamError
from palabre.testing.media import ScriptedImageGenerator
from palabre.testing.simulators import comfyui

SEED = 0xDEADBEEF


IDS = count(1)


def chance(bits: int) -> int:
    """Is none: ids differ, seeds do not."""
    return SEED if bits == 32 else next(IDS)


def asking(url: str, **options: Any) -> ComfyUIImageGenerator:
    gateway = HttpGateway(trusted=[url])
    return ComfyUIImageGenerator(gateway, url, chance, **{"poll_s": 0.05, **options})


async def called(url: str) -> list[dict[str, Any]]:
    """Return what the server was asked, in order."""
    async with httpx2.AsyncClient() as client:
        return (await client.get(f"{url}/sim/requests")).json()["requests"]


async def until_called(url: str, path: str, times: int = 1) -> None:
    async with asyncio.timeout(30):
        while sum(each["path"].startswith(path) for each in await called(url)) < times:
            pass


async def test_the_fake_makes_a_real_picture() -> None:
    made = await ScriptedImageGenerator().generate("ville")
    assert mime_of(made.content, "fake") == made.mime == "image/png"


async def test_a_picture_has_the_size_and_the_seed_that_were_asked_for() -> None:
    async with comfyui() as url:
        made = await asking(url).generate("dystopian cityscape")
    assert (made.mime, made.seed) == ("image/png", SEED)
    assert made.content[16:24] == (1024).to_bytes(4) * 2


async def test_progress_is_told_in_percent() -> None:
    told: list[int] = []
    async with comfyui("step_s = 0.03") as url:
        await asking(url).generate("ville", told.append)
    assert told
    assert told == sorted(told)
    assert set(told) <= {25, 50, 75, 100}


async def test_without_a_websocket_the_history_is_looked_at() -> None:
    async with comfyui() as url:
        generator = asking(url)
        generator._url = f"{url}/api"  # the simulator answers /api/ws as well
        made = await generator.generate("ville")
    assert made.content


@pytest.mark.parametrize(
    ("rule", "error", "words"),
    [
        ('error = "http"', UpstreamError, "HTTP 500"),
        ('error = "execution"\nmessage = "out of memory"', UpstreamError, "out of memory"),
        ('error = "not_a_picture"', NotAPictureError, ""),
        ('error = "cut"', FetchError, "broken"),
        ('error = "huge"', PictureTooLargeError, ""),
        ('error = "heavy"', FetchError, "size"),
    ],
)
async def test_each_fault_of_the_server_is_told(
    rule: str, error: type[UpstreamError], words: str
) -> None:
    async with comfyui(f"step_s = 0\n[[answer]]\n{rule}") as url:
        with pytest.raises(error) as caught:
            await asking(url).generate("ville")
    assert words in str(caught.value.data)


async def test_nobody_at_the_address_is_told() -> None:
    with pytest.raises(FetchError) as caught:
        await asking("http://127.0.0.1:9").generate("ville")
    assert caught.value.reason == "unreachable"


async def test_a_server_that_hangs_is_given_up_and_told_to_stop() -> None:
    async with comfyui('step_s = 0\n[[answer]]\nwhen = "ville"\nerror = "hang"') as url:
        with pytest.raises(SilentServerError):
            await asking(url, timeout_s=0.5).generate("ville")
        made = await asking(url).generate("forêt")  # the queue is free again
        assert made.content


async def test_who_cancels_stops_the_work_at_the_server() -> None:
    async with comfyui('step_s = 0\n[[answer]]\nwhen = "ville"\nerror = "hang"') as url:
        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            running = tasks.create_task(asking(url).generate("ville"))
            await until_called(url, "/history")
            running.cancel()
        assert "/interrupt" in [each["path"] for each in await called(url)]
        assert (await asking(url).generate("forêt")).content


async def test_who_cancels_while_others_are_served_leaves_them_alone() -> None:
    async with comfyui('step_s = 0.1\n[[answer]]\nwhen = "forêt"') as url:
        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            first = tasks.create_task(asking(url).generate("ville"))
            await until_called(url, "/prompt")
            second = tasks.create_task(asking(url).generate("forêt"))
            await until_called(url, "/prompt", 2)
            second.cancel()
        assert first.result().content
        assert "/interrupt" not in [each["path"] for each in await called(url)]


async def test_work_that_somebody_else_stops_is_told() -> None:
    async with comfyui('step_s = 0\n[[answer]]\nerror = "hang"') as url:
        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            running = tasks.create_task(_outcome(asking(url)))
            await until_called(url, "/history")
            async with httpx2.AsyncClient() as client:
                await client.post(f"{url}/interrupt", json={})
        assert isinstance(running.result(), GenerationInterruptedError)


async def _outcome(generator: ComfyUIImageGenerator) -> UpstreamError | None:
    try:
        await generator.generate("ville")
    except UpstreamError as error:
        return error
    return None


async def test_a_workflow_of_ones_own_gets_the_wish_and_the_seed() -> None:
    workflow = json.loads("""{
      "a": {"class_type": "CheckpointLoaderSimple",
            "inputs": {"ckpt_name": "sd_xl_base_1.0.safetensors"}},
      "b": {"class_type": "CLIPTextEncode", "inputs": {"text": "oil, {prompt}", "clip": ["a", 1]}},
      "c": {"class_type": "EmptyLatentImage",
            "inputs": {"width": 64, "height": 32, "batch_size": 1}},
      "d": {"class_type": "KSampler", "inputs": {"model": ["a", 0], "positive": ["b", 0],
            "negative": ["b", 0], "latent_image": ["c", 0], "seed": "{seed}", "steps": 2,
            "cfg": 2.5, "sampler_name": "euler", "scheduler": "normal", "denoise": 1}},
      "e": {"class_type": "VAEDecode", "inputs": {"samples": ["d", 0], "vae": ["a", 2]}},
      "f": {"class_type": "SaveImage", "inputs": {"images": ["e", 0], "filename_prefix": "x"}}
    }""")
    async with comfyui() as url:
        made = await asking(url, workflow=workflow).generate('ville "d\'été"')
        sent = next(each for each in await called(url) if each["path"] == "/prompt")
    assert made.content[16:24] == (64).to_bytes(4) + (32).to_bytes(4)
    assert sent["body"]["prompt"]["b"]["inputs"]["text"] == 'oil, ville "d\'été"'
    assert sent["body"]["prompt"]["d"]["inputs"]["seed"] == SEED


async def test_a_workflow_that_the_server_refuses_is_told_in_its_words() -> None:
    async with comfyui() as url:
        with pytest.raises(UpstreamError) as caught:
            await asking(url, checkpoint="absent.safetensors").generate("ville")
    assert "absent.safetensors" in str(caught.value.data["detail"])


async def test_a_workflow_without_an_output_file_makes_no_picture() -> None:
    async with comfyui() as url:
        generator = asking(url)
        graph = await generator._graph("ville", 1)
        graph["file"] = {"class_type": "SaveImageWebsocket", "inputs": {"images": ["picture", 0]}}
        with pytest.raises(NoPictureError):
            await asking(url, workflow=graph).generate("ville")


async def test_flux_gets_more_steps_than_others() -> None:
    async with comfyui('step_s = 0\ncheckpoint = ["flux1-dev-fp8.safetensors"]') as url:
        await asking(url).generate("ville")
        sent = next(each for each in await called(url) if each["path"] == "/prompt")
    assert sent["body"]["prompt"]["sampler"]["inputs"]["steps"] == 20
