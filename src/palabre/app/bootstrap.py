"""Run the program's core: rooms, personas, models, storage, and what goes on beside them."""

import logging
from asyncio import TaskGroup
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from palabre.adapters.secrets.argon2_passwords import Argon2PasswordHasher
from palabre.adapters.storage.sql.accounts import SqlAccountStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.adapters.telemetry.error_log import RecentErrors
from palabre.adapters.telemetry.prometheus import PrometheusTelemetry
from palabre.adapters.telemetry.resources import available_memory_bytes, total_memory_bytes
from palabre.adapters.telemetry.watchdog import watch_loop
from palabre.app.accounts import build_accounts, build_auth, build_watch, names_in
from palabre.app.api_keys import build_api_keys
from palabre.app.backup import settle_restore
from palabre.app.database import opened_database
from palabre.app.editorial import Editorial, build_editorial, edited_library
from palabre.app.history import build_history
from palabre.app.knowledge import RunningKnowledge
from palabre.app.parts import Parts, open_ports
from palabre.app.settings import Settings
from palabre.core.audit.ports import Ledger
from palabre.core.auth.accounts import AccountService
from palabre.core.auth.api_keys import ApiKeys
from palabre.core.auth.service import AuthService
from palabre.core.auth.watch import SessionWatch
from palabre.core.chat.commands import Command
from palabre.core.chat.compaction import Compactor
from palabre.core.chat.compaction_rules import limits_for
from palabre.core.chat.house import Ports, Rules
from palabre.core.chat.service import ChatService
from palabre.core.history.service import History
from palabre.core.personas.model import Cast
from palabre.features import commands
from palabre.kernel.ids import ChannelName
from palabre.kernel.registry import discover
from palabre.kernel.text import text
from palabre.texts import Language, say

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class App:
    """What the surfaces are given.

    Attributes:
        knowledge: Documents that are looked after beside; None where a test brings its own.
    """

    settings: Settings
    chat: ChatService
    ports: Ports
    database: Database
    auth: AuthService
    session_watch: SessionWatch
    accounts: AccountService
    api_keys: ApiKeys
    ledger: Ledger
    editorial: Editorial
    history: History
    telemetry: PrometheusTelemetry
    errors: RecentErrors
    knowledge: RunningKnowledge | None = None


@asynccontextmanager
async def running(settings: Settings, parts: Parts = Parts()) -> AsyncGenerator[App]:  # noqa: B008  (frozen)
    """Run the program's core.

    Raises:
        SetupError: It cannot start: the data directory is in use, no persona can be read ...
    """
    telemetry = PrometheusTelemetry()
    async with AsyncExitStack() as stack:
        errors = stack.enter_context(RecentErrors().listening())
        await settle_restore(settings)
        database = await stack.enter_async_context(opened_database(settings))
        ports, knowledge = await open_ports(settings, parts, database, telemetry, stack)
        library = edited_library(settings, database, ports.library)
        ports = replace(ports, library=library, accounts=SqlAccountStore(database))
        session_watch = build_watch(database, ports.clock)
        ledger, hasher = SqlLedger(database, ports.clock), Argon2PasswordHasher()
        cast = await ports.library.load()
        _log_left_out(cast, settings.language)
        async with TaskGroup() as tasks:
            chat = _chat(settings, ports, cast, tasks)
            editorial = build_editorial(
                settings, database, library, ports=ports, ledger=ledger, chat=chat
            )
            history = build_history(settings, database, ledger, ports.clock)
            works = [
                *(watch_loop(telemetry), _compactor(settings, ports).run(), session_watch.run()),
                *editorial.works(),
                *([knowledge.run()] if knowledge else []),
                *([history.follower.run()] if history.follower else []),
            ]
            async with _beside(tasks, works, chat):
                yield App(
                    settings,
                    chat,
                    ports,
                    database,
                    auth=build_auth(settings, database, hasher, ports.clock),
                    session_watch=session_watch,
                    accounts=build_accounts(database, hasher, ports.clock, names_in(library)),
                    api_keys=build_api_keys(database, ledger, ports.clock, ports.ids),
                    ledger=ledger,
                    editorial=editorial,
                    history=history.history,
                    telemetry=telemetry,
                    errors=errors,
                    knowledge=knowledge,
                )


@asynccontextmanager
async def _beside(
    tasks: TaskGroup, works: Sequence[Coroutine[None, None, None]], chat: ChatService
) -> AsyncGenerator[None]:
    """Let *works* go on beside; in the end, break them and the chat off."""
    running = [tasks.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in running:
            task.cancel()
        await chat.aclose()


def _chat(settings: Settings, ports: Ports, cast: Cast, tasks: TaskGroup) -> ChatService:
    return ChatService(
        ports,
        tasks=tasks,
        cast=cast,
        commands=discover(commands, "COMMAND", Command),
        rules=_rules(settings),
    )


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
