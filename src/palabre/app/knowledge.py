"""The knowledge of a running program: opened, filled and kept up in the background."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from types import ModuleType

from palabre.adapters.storage.sql.database import Database
from palabre.app.garbage import nothing_collected
from palabre.app.settings import Settings
from palabre.core.knowledge.model import Passage
from palabre.core.knowledge.service import KnowledgeService, Standing
from palabre.core.models.registry import ModelRegistry
from palabre.core.telemetry.checkup import State
from palabre.kernel.clock import Clock
from palabre.kernel.errors import PalabreError, UserError
from palabre.kernel.ids import Ids
from palabre.kernel.text import Text, text
from palabre.texts import say

DATABASE_NAME = "palabre.db"

START_DELAY_S = 1.0
"""The first visitor comes first: libraries and documents wait, unless a question needs them."""

OPEN_TIMEOUT_S = 3.0
"""How long a question waits for the database to be opened."""

RESUME_EVERY_S = 15.0
"""How often it is looked for work: documents added beside us, an embedder that is back."""

_log = logging.getLogger(__name__)


@asynccontextmanager
async def opened_knowledge(
    settings: Settings,
    models: ModelRegistry,
    clock: Clock,
    ids: Ids,
    database: Database | None = None,
) -> AsyncGenerator[KnowledgeService]:
    """Give the knowledge in *database*, or in that of *settings*, which is opened then.

    Raises:
        SetupError: It cannot be opened.
    """
    parts = await asyncio.to_thread(_import, "knowledge_parts")
    if database is not None:
        yield parts.service_in(database, settings, models, clock, ids)
        return
    async with parts.opened_service(settings, models, clock, ids) as service:
        yield service


class RunningKnowledge:
    """`PassageFinder` that is there at once and knows what it can.

    What goes wrong is logged and told by `state`; it is tried again, and ends nothing else.
    """

    def __init__(
        self,
        settings: Settings,
        models: ModelRegistry,
        clock: Clock,
        ids: Ids,
        database: Database | None = None,
    ) -> None:
        """Use *database*; without one, that of *settings* is opened when it is needed."""
        self._database = database
        self._settings = settings
        self._models = models
        self._clock = clock
        self._ids = ids
        self._wanted = asyncio.Event()
        self._is_open = asyncio.Event()
        self._service: KnowledgeService | None = None
        self._fault: Text | None = None

    async def find(self, question: str) -> Sequence[Passage]:
        service = await self._opened()
        return await service.find(question) if service else ()

    async def count_documents(self) -> int:
        """Return how many documents are searched; 0 while none can be."""
        service = await self._opened()
        try:
            return await service.count_documents() if service else 0
        except PalabreError:
            return 0

    async def state(self) -> State:
        """Say how many documents there are, and how many wait.

        Strangers may read it: what is wrong, and where, is for the log.
        """
        if self._fault is not None:
            return State(ok=False, detail=self._say(text("knowledge_state.broken")))
        if self._service is None:
            return State(ok=True, detail=self._say(text("knowledge_state.opening")))
        try:
            return await told(self._service, self._settings)
        except PalabreError:
            return State(ok=False, detail=self._say(text("knowledge_state.broken")))

    async def run(self) -> None:
        """Open the database, index the manifesto, and go on with what is unfinished, for ever."""
        with suppress(TimeoutError):
            async with asyncio.timeout(START_DELAY_S):
                await self._wanted.wait()
        while True:
            try:
                await self._keep_up()
            except PalabreError as error:
                self._tell(error)
            except Exception:  # noqa: BLE001 - the outermost loop: people go on talking
                _log.exception("documents are out of order")
                self._fault = text("error.internal")
            await asyncio.sleep(RESUME_EVERY_S)

    async def _keep_up(self) -> None:
        async with opened_knowledge(
            self._settings, self._models, self._clock, self._ids, self._database
        ) as service:
            self._service = service
            self._is_open.set()
            try:
                await self._index_manifesto(service)
                while True:
                    await service.resume()
                    await service.prepare()
                    self._fault = None
                    await asyncio.sleep(RESUME_EVERY_S)
            finally:
                self._service = None
                self._is_open.clear()

    async def _index_manifesto(self, service: KnowledgeService) -> None:
        module = await asyncio.to_thread(_import, "manifesto")
        for each in await asyncio.to_thread(module.manifesto, self._settings):
            try:
                receipt = await service.add(each)
            except UserError as error:
                _log.error("manifesto: %s", self._say(error.text))
                continue
            if receipt.status != "unchanged":
                found = f"{receipt.embedded} of {receipt.document.chunks} passages"
                _log.info("manifesto %s: %s, %s", each.source, receipt.status, found)

    async def _opened(self) -> KnowledgeService | None:
        self._wanted.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                await self._is_open.wait()
        return self._service

    def _tell(self, error: PalabreError) -> None:
        if self._fault != error.text:
            _log.error("documents: %s", self._say(error.text))
        self._fault = error.text

    def _say(self, what: Text) -> str:
        return say(what, self._settings.language)


async def told(service: KnowledgeService, settings: Settings) -> State:
    """Say how the documents of *service* stand.

    Raises:
        StorageError: The database fails.
    """
    standing = await service.standing()
    kind = _kind(standing)
    counts = {"documents": standing.documents, "waiting": standing.waiting}
    detail = text(f"knowledge_state.{kind}", **counts, embedder=standing.embedder)
    return State(kind == "well", say(detail, settings.language))


def _kind(standing: Standing) -> str:
    if standing.embedder and not standing.answers:
        return "silent"
    return "waiting" if standing.waiting else "well"


def no_documents(settings: Settings) -> str:
    """Return what is told of an installation without documents."""
    return say(text("knowledge_state.well", documents=0), settings.language)


def _import(name: str) -> ModuleType:
    """Import a module of the app; its libraries take a while, so not where others wait."""
    with nothing_collected():
        return import_module(f"palabre.app.{name}")
