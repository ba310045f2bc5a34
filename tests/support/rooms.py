"""The whole program on a real socket, with a scripted model, and a plain WebSocket client."""

import asyncio
import json
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.support.databases import with_database
from websockets.asyncio.client import ClientConnection, connect

from palabre.app.bootstrap import App, running
from palabre.app.http import create_server
from palabre.app.listening import listen
from palabre.app.parts import Parts
from palabre.app.settings import Settings
from palabre.core.chat.ports import MessageStore
from palabre.core.knowledge.ports import NoDocuments
from palabre.core.models.registry import ModelRegistry
from palabre.core.personas.model import TopicRule
from palabre.testing.clock import FrozenClock
from palabre.testing.memories import StaticMemoryStore
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import Answer, ScriptedProvider
from palabre.testing.personas import StaticPersonaLibrary, a_persona
from palabre.testing.reading import HEARD, ScriptedReader
from palabre.testing.speech import ScriptedTranscriber

Frame = dict[str, Any]
DEADLINE_S = 30.0
QUIET_S = 0.4


@dataclass
class House:
    """A running server and what it stands on."""

    app: App
    url: str
    store: MessageStore
    provider: ScriptedProvider
    library: StaticPersonaLibrary
    clients: list["Client"] = field(default_factory=list)

    @property
    def http_url(self) -> str:
        return self.url.replace("ws://", "http://")

    async def enter(self, nick: str | None = None, **options: Any) -> "Client":
        """Connect, and read the handshake: `client.welcome` holds it."""
        query = f"?nick={quote(nick)}" if nick is not None else ""
        language = options.pop("lang", None)
        if language:
            query += ("&" if query else "?") + f"lang={language}"
        connection = await connect(
            f"{self.url}/ws{query}", max_size=2**26, max_queue=None, **options
        )
        client = Client(connection)
        self.clients.append(client)
        client.welcome = await client.until(lambda frame: frame["type"] == "userlist")
        await (await connection.ping())  # the history comes before the pong
        await client.quiet(0.001)
        client.welcome += client.take()
        client.nick = client.welcome[0]["text"].split("nick: ")[-1].split("\n")[0]
        return client

    async def company(self, *nicks: str) -> list["Client"]:
        """Let *nicks* enter, and wait until each was told that all of them are here."""
        clients = [await self.enter(nick) for nick in nicks]
        everybody = set(nicks)
        if len(clients) > 1:
            await clients[0].until(lambda frame: everybody <= set(frame.get("users", ())))
        for client in clients[1:]:
            await client.so_far()
        return clients


class Client:
    """A WebSocket client that keeps what it reads until the test asks."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.welcome: list[Frame] = []
        self.nick = ""
        self._read: list[Frame] = []

    async def send(self, frame: Frame | str | bytes) -> None:
        raw = json.dumps(frame) if isinstance(frame, dict) else frame
        await self.connection.send(raw)

    async def say(self, text: str) -> None:
        await self.send({"type": "message", "text": text})

    async def command(self, text: str) -> None:
        await self.send({"type": "command", "text": text})

    async def next(self) -> Frame:
        if self._read:
            return self._read.pop(0)
        async with asyncio.timeout(DEADLINE_S):
            return json.loads(await self.connection.recv())

    async def until(self, wanted: Callable[[Frame], bool]) -> list[Frame]:
        """Return the frames up to and with the first that is *wanted*."""
        seen: list[Frame] = []
        while not seen or not wanted(seen[-1]):
            seen.append(await self.next())
        return seen

    async def until_text(self, part: str) -> list[Frame]:
        return await self.until(lambda frame: part in frame.get("text", ""))

    async def until_type(self, kind: str) -> Frame:
        return (await self.until(lambda frame: frame["type"] == kind))[-1]

    async def so_far(self) -> list[Frame]:
        """Return all that was told up to now: the answer to a `/who` marks the end."""
        await self.command("/who")
        return (await self.until(is_own_list))[:-1]

    async def answer(self, line: str) -> Frame:
        """Use a command and return the next frame that is for this client alone."""
        await self.command(line)
        return (await self.until(lambda frame: "seq" not in frame))[-1]

    async def quiet(self, quiet_s: float = QUIET_S) -> None:
        """Read until nothing has come for *quiet_s*."""
        try:
            while True:
                async with asyncio.timeout(quiet_s):
                    self._read.append(json.loads(await self.connection.recv()))
        except TimeoutError:
            return

    async def rest(self, quiet_s: float = QUIET_S) -> list[Frame]:
        """Return all that comes until it is quiet."""
        await self.quiet(quiet_s)
        return self.take()

    def take(self) -> list[Frame]:
        read, self._read = self._read, []
        return read

    async def leave(self) -> None:
        await self.connection.close()


def is_own_list(frame: Frame) -> bool:
    """Say whether *frame* is the answer to a `/who`."""
    return frame["type"] == "userlist" and "seq" not in frame


def is_final(frame: Frame, nick: str) -> bool:
    """Say whether *frame* ends a reply of the persona *nick*, or is what somebody said."""
    return frame["type"] == "message" and frame["nick"] == nick


def plain(frames: list[Frame]) -> list[Frame]:
    """Return *frames* with the seed's fields alone."""
    return [{key: value for key, value in each.items() if key != "replyId"} for each in frames]


def texts(frames: list[Frame]) -> list[str]:
    return [frame["text"] for frame in frames if "text" in frame]


SCHAEFFER = a_persona("Schaeffer")
BATTY = a_persona("Batty", color="#ef5350")
PHARMACIUS = a_persona("Pharmacius", color="#00e676")


PARTS = frozenset(each.name for each in fields(Parts))


@asynccontextmanager
async def house(
    *answers: Answer | str,
    personas: tuple = (SCHAEFFER, BATTY, PHARMACIUS),
    topics: tuple[TopicRule, ...] = (),
    data_dir: Path | None = None,
    provider: ScriptedProvider | None = None,
    web: dict[str, str] | None = None,
    context: dict[str, Any] | None = None,
    storage: dict[str, Any] | None = None,
    auth: dict[str, Any] | None = None,
    server: dict[str, Any] | None = None,
    **given: Any,
) -> AsyncGenerator[House]:
    """Run the program on a free port.

    *given* are parts by their names in `Parts`, and settings of the section `rooms`. Personas
    remember what lies below *data_dir*, and learn; without one, nothing.
    """
    provider = provider or ScriptedProvider(*answers, name="ollama", models=("qwen3:8b",))
    library = StaticPersonaLibrary(*personas, topics=topics, dispatcher=PHARMACIUS.nick)
    usual = Parts(
        knowledge=NoDocuments(),
        store=MemoryMessageStore(),
        models=ModelRegistry([provider], default_model="qwen3:8b", clock=FrozenClock()),
        library=library,
        memories=None if data_dir else StaticMemoryStore(),
        reader=ScriptedReader(),
        transcriber=ScriptedTranscriber(HEARD),
    )
    parts = replace(usual, **{name: given.pop(name) for name in PARTS & given.keys()})
    with tempfile.TemporaryDirectory(prefix="palabre-house-") as folder:
        settings = Settings(
            server={"port": 0, **(server or {})},
            rooms={"chain_delay_s": 0.01, **given},
            data_dir=with_database(data_dir or Path(folder)),
            web=web or {},
            context=context or {},
            storage=storage or {},
            auth=auth or {},
            memory={"enabled": data_dir is not None},
        )
        async with serving(settings, parts) as (app, url):
            place = House(app, url, parts.store, provider, library)
            try:
                yield place
            finally:
                for client in place.clients:
                    await client.leave()


@asynccontextmanager
async def serving(settings: Settings, parts: Parts) -> AsyncGenerator[tuple[App, str]]:
    """Run the program; give it and its address."""
    with listen(settings.server.host, settings.server.port) as socket:
        async with running(settings, parts) as app:
            server = create_server(app)
            server.config.load()
            server.lifespan = server.config.lifespan_class(server.config)
            await server.startup([socket])
            try:
                yield app, f"ws://127.0.0.1:{socket.getsockname()[1]}"
            finally:
                await server.shutdown([socket])
