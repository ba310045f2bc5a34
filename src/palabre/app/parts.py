"""What the rooms stand on: which adapter stands behind which port."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from palabre.adapters.media.signature_typer import SignatureFileTyper
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.telemetry.machine import ProcessMachine
from palabre.app.clock import SystemClock, SystemIds
from palabre.app.knowledge import RunningKnowledge
from palabre.app.media import build_media
from palabre.app.models import build_registry
from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.app.speech import build_speaker, build_transcriber
from palabre.app.storage import media_of, memories_of, open_messages
from palabre.app.tools import opened_tools
from palabre.app.uploads import file_reader
from palabre.app.web import web_search
from palabre.core.chat.house import Ports
from palabre.core.chat.ports import MessageStore
from palabre.core.chat.studio import MediaPorts
from palabre.core.knowledge.ports import NoDocuments, PassageFinder
from palabre.core.media.analyst import FileAnalyst
from palabre.core.media.ports import FileReader
from palabre.core.memory.ports import MemoryStore
from palabre.core.models.registry import ModelRegistry
from palabre.core.personas.ports import PersonaLibrary
from palabre.core.speech.ports import Speaker, Transcriber
from palabre.core.telemetry.ports import Machine, Telemetry
from palabre.core.tools.toolbox import ToolSet
from palabre.core.web.ports import WebSearch
from palabre.kernel.clock import Clock
from palabre.kernel.ids import Ids
from palabre.texts import say


class Closable(Protocol):
    """What is given back at the end."""

    async def aclose(self) -> None:
        """Give it back."""
        ...


C = TypeVar("C", bound=Closable)


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts to use instead of the usual ones; None is the usual one."""

    store: MessageStore | None = None
    models: ModelRegistry | None = None
    library: PersonaLibrary | None = None
    memories: MemoryStore | None = None
    knowledge: PassageFinder | None = None
    search: WebSearch | None = None
    tools: ToolSet | None = None
    reader: FileReader | None = None
    transcriber: Transcriber | None = None
    media: MediaPorts | None = None
    speaker: Speaker | None = None
    machine: Machine | None = None
    clock: Clock | None = None
    ids: Ids | None = None


async def open_ports(
    settings: Settings,
    parts: Parts,
    database: Database,
    telemetry: Telemetry,
    stack: AsyncExitStack,
) -> tuple[Ports, RunningKnowledge | None]:
    """Return what the rooms stand on, closed by *stack*, and the knowledge that is to be run.

    Raises:
        SetupError: Something cannot be opened: the data directory is in use ...
    """

    def closing(part: C) -> C:
        stack.push_async_callback(part.aclose)
        return part

    clock, ids = parts.clock or SystemClock(), parts.ids or SystemIds()
    store = parts.store or await open_messages(settings, database, telemetry)
    closing(store)
    models = closing(parts.models or build_registry(settings, clock, telemetry))
    tools = parts.tools
    if tools is None:  # an empty set of tools is a set
        tools = await stack.enter_async_context(opened_tools(settings))
    kept_up = RunningKnowledge(settings, models, clock, ids, database)
    knowledge = None if parts.knowledge else kept_up
    ports = Ports(
        store=store,
        models=models,
        library=parts.library or library_for(settings),
        memories=parts.memories or memories_of(settings, database, telemetry),
        knowledge=parts.knowledge or knowledge or NoDocuments(),
        search=parts.search or web_search(settings),
        tools=tools,
        typer=SignatureFileTyper(),
        analyst=FileAnalyst(
            reader=closing(parts.reader or file_reader(settings.uploads)),
            transcriber=closing(parts.transcriber or build_transcriber(settings)),
            models=models,
            vision_model=settings.models.vision_model,
        ),
        media=parts.media or await build_media(settings, media_of(settings, database, telemetry)),
        speaker=closing(speaker) if (speaker := _speaker(settings, parts)) else None,
        in_house_words=partial(say, language=settings.language),
        machine=parts.machine or ProcessMachine(clock),
        telemetry=telemetry,
        clock=clock,
        ids=ids,
    )
    return ports, knowledge


def _speaker(settings: Settings, parts: Parts) -> Speaker | None:
    return parts.speaker or (build_speaker(settings) if settings.speech.enabled else None)
