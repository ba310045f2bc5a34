"""Programs that talk to a running house with a key, by the official clients."""

import asyncio
import base64
import json
import socket
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import httpx2
import openai
from tests.support.rooms import House, house

from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.api_keys import Scope
from palabre.core.models.model import Capability, ModelInfo
from palabre.testing.models import Answer, ScriptedProvider
from palabre.testing.speech import ScriptedSpeaker, ScriptedTranscriber

BONJOUR = [{"role": "user", "content": "Bonjour"}]
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PICTURE = f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"
EMBEDDING = ModelInfo("ollama", "nomic-embed-text", capabilities=frozenset({Capability.EMBED}))
CHATTING = frozenset({Capability.CHAT, Capability.VISION})


def showing(address: str) -> list:
    part = {"type": "image_url", "image_url": {"url": address}}
    return [{"role": "user", "content": [part]}]


@dataclass
class Program:
    """A client with a key, and the house it talks to."""

    place: House
    secret: str
    client: openai.AsyncOpenAI
    speaker: ScriptedSpeaker = field(default_factory=ScriptedSpeaker)
    ears: ScriptedTranscriber = field(default_factory=ScriptedTranscriber)

    @property
    def provider(self) -> ScriptedProvider:
        return self.place.provider

    async def post(self, path: str, **sent) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self.secret}"} | sent.pop("headers", {})
        async with httpx2.AsyncClient(base_url=self.place.http_url) as client:
            return await client.post(path, headers=headers, **sent)


@asynccontextmanager
async def program(*answers: Answer | str, scopes=(), provider=None) -> AsyncGenerator[Program]:
    models = [ModelInfo("ollama", "qwen3:8b", capabilities=CHATTING), EMBEDDING]
    provider = provider or ScriptedProvider(*answers, name="ollama", models=models)
    speaker, ears = ScriptedSpeaker(), ScriptedTranscriber("Bonjour à tous")
    async with house(provider=provider, speaker=speaker, transcriber=ears) as place:
        secret = await key_for(place, *scopes)
        async with openai.AsyncOpenAI(
            base_url=f"{place.http_url}/v1", api_key=secret, max_retries=0
        ) as client:
            yield Program(place, secret, client, speaker, ears)


async def key_for(place, *scopes: Scope, name: str = "program") -> str:
    """Return a new key of the house *place*; without *scopes* it opens everything."""
    keys = place.app.api_keys
    new = await keys.create(THE_MACHINE, name, scopes or tuple(Scope))
    return new.secret


@contextmanager
def slow_reader(asked: Program, path: str, body: object) -> Iterator[socket.socket]:
    """Ask by a connection of which nothing is read."""
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {asked.secret}\r\n"
    kind = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", int(asked.place.url.rpartition(":")[2])))
        line.sendall((head + kind).encode() + content)
        yield line


async def until(is_so) -> None:
    async with asyncio.timeout(10):
        while not is_so():  # noqa: ASYNC110 - the fake tells nobody
            await asyncio.sleep(0.01)
