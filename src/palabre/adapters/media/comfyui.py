"""`ImageGenerator` over ComfyUI: `POST /prompt`, `/ws` or `/history`, then `/view`."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

import msgspec
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from palabre.adapters.media.comfyui_answers import (
    SERVICE,
    accepted_id,
    checkpoints,
    heard,
    is_running,
    picture_address,
)
from palabre.adapters.media.comfyui_picture import mime_of
from palabre.adapters.media.comfyui_workflow import Json, built_in, filled
from palabre.core.media.errors import NoCheckpointError
from palabre.core.media.model import GeneratedImage
from palabre.core.media.ports import Progress
from palabre.core.models.errors import SilentServerError
from palabre.core.web.model import Fetched
from palabre.core.web.ports import Gateway
from palabre.kernel.errors import UpstreamError

TIMEOUT_S = 120.0
"""Longest work on one picture, with its waiting in the server's queue (facts 3.9)."""

POLL_S = 1.0
WITHDRAW_WITHIN_S = 3.0
MAX_PICTURE_BYTES = 24 * 1024 * 1024
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
SEED_BITS = 32

Chance = Callable[[int], int]
"""Returns a number of so many random bits."""


@dataclass(slots=True)
class _Job:
    """One prompt at the server.

    Attributes:
        id: Ours until the server says its own.
        over: Set when the server says that it is done.
    """

    id: str
    client: str
    seed: int
    over: asyncio.Event = field(default_factory=asyncio.Event)


class ComfyUIImageGenerator:
    """Asks one ComfyUI.

    Args:
        gateway: Trusts *url*.
        url: Address of the server.
        chance: Makes seeds and ids.
        checkpoint: Model to draw with; empty takes the first that the server names.
        workflow: The user's own, instead of ours.
        timeout_s: Longest work on one picture.
        poll_s: Pause between two looks at the history.
    """

    def __init__(
        self,
        gateway: Gateway,
        url: str,
        chance: Chance,
        *,
        checkpoint: str = "",
        workflow: Json | None = None,
        timeout_s: float = TIMEOUT_S,
        poll_s: float = POLL_S,
    ) -> None:
        self._gateway = gateway
        self._url = url.rstrip("/")
        self._chance = chance
        self._checkpoint = checkpoint
        self._workflow = workflow
        self._timeout_s = timeout_s
        self._poll_s = poll_s

    async def generate(self, prompt: str, progress: Progress | None = None) -> GeneratedImage:
        job = _Job(self._new_id(), self._new_id(), self._chance(SEED_BITS))
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._attended(job, prompt, progress)
        except TimeoutError as error:
            await self._withdraw(job)
            raise SilentServerError(service=SERVICE) from error
        except asyncio.CancelledError:
            await self._withdraw(job)
            raise

    async def _attended(self, job: _Job, prompt: str, progress: Progress | None) -> GeneratedImage:
        """Make the picture, and listen to how it goes meanwhile."""
        made: GeneratedImage | UpstreamError
        async with asyncio.TaskGroup() as tasks:
            listening = tasks.create_task(self._listen(job, progress))
            try:
                made = await self._make(job, prompt)
            except UpstreamError as error:
                made = error
            finally:
                listening.cancel()
        if isinstance(made, UpstreamError):
            raise made
        return made

    async def _make(self, job: _Job, prompt: str) -> GeneratedImage:
        graph = await self._graph(prompt, job.seed)
        asked = {"prompt": graph, "client_id": job.client, "prompt_id": job.id}
        job.id = accepted_id(await self._post("/prompt", asked))
        address = await self._finished(job)
        answer = await self._get(address, max_bytes=MAX_PICTURE_BYTES)
        if answer.status >= 400:  # noqa: PLR2004  (HTTP)
            raise UpstreamError(detail=f"HTTP {answer.status}")
        return GeneratedImage(answer.body, mime_of(answer.body, SERVICE), job.seed)

    async def _graph(self, prompt: str, seed: int) -> Json:
        if self._workflow is not None:
            return filled(self._workflow, prompt, seed)
        if self._checkpoint:
            return built_in(self._checkpoint, prompt, seed)
        known = checkpoints(await self._get("/object_info/CheckpointLoaderSimple"))
        if not known:
            raise NoCheckpointError(service=SERVICE)
        return built_in(known[0], prompt, seed)

    async def _finished(self, job: _Job) -> str:
        """Wait until the picture is done; return where it is."""
        while True:
            answer = await self._get(f"/history/{job.id}")
            if (address := picture_address(answer, job.id)) is not None:
                return address
            with suppress(TimeoutError):
                async with asyncio.timeout(self._poll_s):
                    await job.over.wait()
                    job.over.clear()

    async def _listen(self, job: _Job, progress: Progress | None) -> None:
        """Hear how it goes; without that, looking at the history now and then is enough."""
        with suppress(OSError, WebSocketException, TimeoutError):
            async with _connect(
                _socket_url(self._url, job.client),
                proxy=None,
                compression=None,
                max_size=MAX_MESSAGE_BYTES,
            ) as socket:
                async for message in socket:
                    news = heard(message, job.id)
                    if news.percent is not None and progress is not None:
                        progress(news.percent)
                    if news.is_over:
                        job.over.set()

    async def _withdraw(self, job: _Job) -> None:
        """Take the prompt out of the queue, or stop it; others' prompts go on."""
        with suppress(UpstreamError, TimeoutError):
            async with asyncio.timeout(WITHDRAW_WITHIN_S):
                await self._post("/queue", {"delete": [job.id]})
                if is_running(await self._get("/queue"), job.id):
                    await self._post("/interrupt", {"prompt_id": job.id})

    async def _get(self, path: str, *, max_bytes: int = MAX_MESSAGE_BYTES) -> Fetched:
        return await self._gateway.fetch(
            self._url + path, max_bytes=max_bytes, timeout_s=self._timeout_s
        )

    async def _post(self, path: str, body: Mapping[str, object]) -> Fetched:
        return await self._gateway.fetch(
            self._url + path,
            method="POST",
            headers={"content-type": "application/json"},
            content=msgspec.json.encode(body),
            timeout_s=self._timeout_s,
        )

    def _new_id(self) -> str:
        return str(UUID(int=self._chance(128), version=4))


class _connect(connect):  # noqa: N801  (as the class that it narrows)
    """Connects where the owner said, and nowhere that the server says."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Follow none."""
        return exc


def _socket_url(url: str, client: str) -> str:
    parts = urlsplit(url)
    scheme = "wss" if parts.scheme == "https" else "ws"
    return urlunsplit((scheme, parts.netloc, f"{parts.path}/ws", f"clientId={client}", ""))
