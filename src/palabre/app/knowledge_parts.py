"""The parts of the knowledge. Slow to import: `knowledge` does so in a thread."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from palabre.adapters.knowledge.analysis import StemmingAnalyser
from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.knowledge.store import SqlKnowledgeStore
from palabre.app.database import database_address
from palabre.app.settings import Settings
from palabre.core.knowledge.embedding import RegistryEmbedder
from palabre.core.knowledge.service import KnowledgeService
from palabre.core.models.registry import ModelRegistry
from palabre.kernel.clock import Clock
from palabre.kernel.ids import Ids


@asynccontextmanager
async def opened_service(
    settings: Settings,
    models: ModelRegistry,
    clock: Clock,
    ids: Ids,
    folder: Path | None = None,
) -> AsyncGenerator[KnowledgeService]:
    """Open the database and give the knowledge in it.

    Args:
        settings: Where the database is and how documents are cut.
        models: Who makes vectors.
        clock: Dates what is kept.
        ids: Names documents.
        folder: A folder with a database of its own, instead of that of *settings*.

    Raises:
        SetupError: It cannot be opened.
    """
    address = sqlite_address(folder) if folder else database_address(settings)
    database = await Database.open(address)
    try:
        yield service_in(database, settings, models, clock, ids)
    finally:
        await database.aclose()


def service_in(
    database: Database, settings: Settings, models: ModelRegistry, clock: Clock, ids: Ids
) -> KnowledgeService:
    """Return the knowledge in *database*, which stays open."""
    return KnowledgeService(
        SqlKnowledgeStore(database),
        StemmingAnalyser(),
        RegistryEmbedder(models, settings.knowledge.embedder),
        rules=settings.knowledge.rules,
        clock=clock,
        ids=ids,
    )
