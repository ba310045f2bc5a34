"""Put the parts of the rooms together: which adapter stands behind which port."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from palabre.adapters.media.signature_typer import SignatureFileTyper
from palabre.adapters.storage.json_memories.store import JsonMemoryStore
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.adapters.telemetry.error_log import RecentErrors
from palabre.adapters.telemetry.machine import ProcessMachine
from palabre.adapters.telemetry.prometheus import PrometheusTelemetry
from palabre.adapters.telemetry.resources import available_memory_bytes, total_memory_bytes
from palabre.adapters.telemetry.watchdog import watch_loop
from palabre.app.clock import SystemClock, SystemIds
from palabre.app.knowledge import RunningKnowledge
from palabre.app.media import build_media
from palabre.app.models import build_registry
from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.app.speech import build_speaker, build_transcriber
from palabre.app.tools import opened_tools
from palabre.app.uploads import file_reader
from palabre.app.web import web_search
from palabre.core.chat.commands import Command
from palabre.core.chat.compaction import Compactor
from palabre.core.chat.compaction_rules import limits_for
from palabre.core.chat.generation import MediaPorts
from palabre.core.chat.ports import MessageStore
from palabre.core.chat.service import ChatService, Ports, Rules
from palabre.core.knowledge.ports import NoDocuments, PassageFinder
from palabre.core.media.analyst import FileAnalyst
from palabre.core.media.ports import FileReader, MediaStore
from palabre.core.memory.ports import MemoryStore
from palabre.core.models.registry import ModelRegistry
from palabre.core.personas.model import Cast
from palabre.core.personas.ports import PersonaLibrary
from palabre.core.speech.ports import Speaker, Transcriber
from palabre.core.telemetry.ports import Machine
from palabre.core.tools.model import no_documents
from palabre.core.tools.toolbox import ToolSet
from palabre.core.web.ports import WebSearch
from palabre.features import commands
from palabre.kernel.clock import Clock
from palabre.kernel.ids import ChannelName, Ids
from palabre.kernel.registry import discover
from palabre.kernel.text import text
from palabre.texts import Language, say

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class App:
    """What the surfaces are given."""

    settings: Settings
    chat: ChatService
    models: ModelRegistry
    telemetry: PrometheusTelemetry
    machine: Machine
    errors: RecentErrors
    clock: Clock
    ids: Ids
    media: MediaStore
    knowledge: RunningKnowledge | None = None


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


@asynccontextmanager
async def running(settings: Settings, parts: Parts = Parts()) -> AsyncGenerator[App]:
    """Run the program's core: rooms, personas, models, storage.

    Raises:
        SetupError: It cannot start: the data directory is in use, no persona can be read ...
    """
    telemetry = PrometheusTelemetry()
    clock, ids = parts.clock or SystemClock(), parts.ids or SystemIds()
    machine = parts.machine or ProcessMachine(clock)
    library = parts.library or library_for(settings)
    async with AsyncExitStack() as stack:
        errors = stack.enter_context(RecentErrors().listening())
        cast = await library.load()
        _log_left_out(cast, settings.language)
        store = parts.store or await JsonlMessageStore.open(settings.data_dir, telemetry)
        stack.push_async_callback(store.aclose)
        models = parts.models or build_registry(settings, clock, telemetry)
        stack.push_async_callback(models.aclose)
        reader = parts.reader or file_reader(settings.uploads)
        stack.push_async_callback(reader.aclose)
        transcriber = parts.transcriber or build_transcriber(settings)
        stack.push_async_callback(transcriber.aclose)
        speaker = parts.speaker or (build_speaker(settings) if settings.speech.enabled else None)
        if speaker is not None:
            stack.push_async_callback(speaker.aclose)
        media = parts.media or await build_media(settings, telemetry)
        tools = parts.tools
        if tools is None:
            tools = await stack.enter_async_context(opened_tools(settings))
        own = RunningKnowledge(settings, models, clock, ids) if parts.knowledge is None else None
        ports = Ports(
            store=store,
            models=models,
            library=library,
            memories=parts.memories
            or JsonMemoryStore(settings.data_dir, compat_facts=settings.memory.policy.compat_facts),
            knowledge=parts.knowledge or own or NoDocuments(),
            count_documents=own.count_documents if own else no_documents,
            search=parts.search or web_search(settings),
            tools=tools,
            typer=SignatureFileTyper(),
            analyst=FileAnalyst(
                reader=reader,
                transcriber=transcriber,
                models=models,
                vision_model=settings.models.vision_model,
            ),
            media=media,
            in_house_words=partial(say, language=settings.language),
            machine=machine,
            telemetry=telemetry,
            clock=clock,
            ids=ids,
            speaker=speaker,
        )
        async with asyncio.TaskGroup() as tasks:
            chat = ChatService(
                ports,
                tasks=tasks,
                cast=cast,
                commands=discover(commands, "COMMAND", Command),
                rules=_rules(settings),
            )
            compactor = _compactor(settings, ports)
            works = [watch_loop(telemetry), compactor.run(), *([own.run()] if own else ())]
            background = [tasks.create_task(work) for work in works]
            try:
                yield App(
                    settings, chat, models, telemetry, machine, errors, clock, ids, media.store, own
                )
            finally:
                for task in background:
                    task.cancel()
                await chat.aclose()


def _log_left_out(cast: Cast, language: Language) -> None:
    for problem in cast.problems:
        _log.error("persona file: %s", say(problem.text, language))
    if cast.problems:
        _log.error("persona files: %s", say(text("persona.left_out"), language))


def _compactor(settings: Settings, ports: Ports) -> Compactor:
    total = total_memory_bytes() or 0
    limits = limits_for(total, available_memory_bytes() or total)
    return Compactor(
        store=ports.store,
        models=ports.models,
        rules=settings.context.rules(limits, settings.models.default_model),
        telemetry=ports.telemetry,
        clock=ports.clock,
        ids=ports.ids,
    )


def _rules(settings: Settings) -> Rules:
    rooms = settings.rooms
    return Rules(
        default_channel=ChannelName(rooms.default_channel),
        max_responders=rooms.max_responders,
        history_messages=rooms.history_messages,
        context_chars=rooms.context_chars,
        chain_depth=rooms.chain_depth,
        chain_delay_s=rooms.chain_delay_s,
        memory=settings.memory.policy,
    )
