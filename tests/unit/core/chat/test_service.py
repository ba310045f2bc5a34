"""The rooms as their users know them, without a socket."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from tests.support.turns import eventually, turns

from palabre.adapters.media.signature_typer import SignatureFileTyper
from palabre.core.chat.commands import Command
from palabre.core.chat.house import Ports, Rules
from palabre.core.chat.members import Member
from palabre.core.chat.model import (
    ChannelEntered,
    Event,
    MemberJoined,
    MemberParted,
    MessagePosted,
    NoticeGiven,
    PersonaIntroduced,
    RosterListed,
)
from palabre.core.chat.service import ChatService
from palabre.core.chat.studio import MediaPorts
from palabre.core.chat.turn_desk import MAX_WAITING
from palabre.core.chat.visitors import Visitor
from palabre.core.knowledge.ports import NoDocuments
from palabre.core.models.registry import ModelRegistry
from palabre.features import commands
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.registry import discover
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.media import MemoryMediaStore
from palabre.testing.memories import StaticMemoryStore
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import Answer, ScriptedProvider
from palabre.testing.personas import StaticPersonaLibrary, a_persona
from palabre.testing.reading import an_analyst
from palabre.testing.sinks import RecordingSink
from palabre.testing.telemetry import RecordingTelemetry, StillMachine
from palabre.testing.web import ScriptedSearch
from palabre.texts import say

GENERAL = ChannelName("#general")


@dataclass
class Place:
    chat: ChatService
    store: MemoryMessageStore
    provider: ScriptedProvider
    library: StaticPersonaLibrary
    telemetry: RecordingTelemetry

    async def enter(self, nick: str | None = None) -> tuple[Member, RecordingSink]:
        sink = RecordingSink()
        member = await self.chat.enter(sink, Visitor(nick))
        await asyncio.sleep(0)
        return member, sink


@asynccontextmanager
async def place(*answers: Answer | str, **rules: Any) -> AsyncIterator[Place]:
    clock, telemetry, store = FrozenClock(), RecordingTelemetry(), MemoryMessageStore()
    provider = ScriptedProvider(*answers, name="ollama", models=("qwen3:8b",))
    library = StaticPersonaLibrary(a_persona("Pharmacius"), a_persona("Batty"))
    models = ModelRegistry([provider], default_model="qwen3:8b", clock=clock)
    outside = Ports(
        store=store,
        models=models,
        library=library,
        memories=StaticMemoryStore(),
        knowledge=NoDocuments(),
        search=ScriptedSearch(),
        typer=SignatureFileTyper(),
        analyst=an_analyst(models),
        media=MediaPorts(None, None, MemoryMediaStore()),
        in_house_words=say,
        machine=StillMachine(),
        telemetry=telemetry,
        clock=clock,
        ids=CountingIds(),
    )
    async with asyncio.TaskGroup() as tasks:
        chat = ChatService(
            outside,
            tasks=tasks,
            cast=library.cast,
            commands=discover(commands, "COMMAND", Command),
            rules=Rules(**rules),
        )
        yield Place(chat, store, provider, library, telemetry)
        await chat.aclose()


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def codes(sink: RecordingSink) -> list[str]:
    return [each.text.code for each in sink.events if isinstance(each, NoticeGiven)]


async def test_a_newcomer_is_told_in_the_order_of_the_contract() -> None:
    async with place() as here:
        ana, first = await here.enter("ana")
        await here.chat.post(ana, "Bonjour @Nobody")
        _, sink = await here.enter("bob")
        told = sink.events
        assert kinds(told)[:4] == ["NoticeGiven", *["PersonaIntroduced"] * 2, "RosterListed"]
        assert told[3] == RosterListed((Nick("ana"), Nick("bob"), *_personas(here)))
        assert kinds(told)[4:7] == ["NoticeGiven", "MessagePosted", "NoticeGiven"]
        assert not [each for each in told if isinstance(each, MemberJoined)]
        await asyncio.sleep(0)
        joined = [each for each in first.events if isinstance(each, MemberJoined)]
        assert [(each.nick, each.channel) for each in joined] == [("bob", GENERAL)]


def _personas(here: Place) -> list[Nick]:
    return [persona.nick for persona in here.chat.cast.personas]


async def test_nobody_gets_a_taken_name_or_a_personas_or_one_that_looks_like_it() -> None:
    async with place() as here:
        wishes = ["ana", "ANA", "Batty", "BATTY", "Ba\u200btty", "lsa", "Isa", None, "user_7"]
        nicks = [(await here.enter(wish))[0].nick for wish in wishes]
        assert nicks[0] == "ana"
        assert all(nick.startswith("user_") for nick in nicks[1:5])
        assert nicks[5] == "lsa"
        assert len(set(nicks)) == len(nicks)
        assert here.chat.people == len(wishes)


async def test_two_who_wish_for_one_name_at_once_do_not_both_get_it() -> None:
    async with place() as here:
        entering = [here.enter("ana") for _ in range(10)]
        nicks = [member.nick for member, _ in await asyncio.gather(*entering)]
        assert sorted(nicks)[0] == "ana"
        assert len(set(nicks)) == 10


async def test_a_flood_without_mention_makes_one_persona_busy_and_waits_no_longer_than_said() -> (
    None
):
    gate = asyncio.Event()
    async with place(Answer(gate=gate)) as here:
        people = [await here.enter(f"flood{number}") for number in range(40)]
        started = [await here.chat.post(member, "Bonjour") for member, _ in people]
        assert sum(map(len, started)) == MAX_WAITING + 1
        refused = [sink for _, sink in people if "error.persona_busy" in codes(sink)]
        assert len(refused) == 40 - MAX_WAITING - 1
        await turns()
        assert len(here.provider.requests) == 1
        texts = [each.text for each in people[0][1].events if isinstance(each, MessagePosted)]
        assert texts == ["Bonjour"] * 40
        gate.set()


async def test_what_cannot_be_kept_is_told_to_nobody_but_who_said_it() -> None:
    async with place() as here:
        ana, sink = await here.enter("ana")
        here.store.refusal = "disk full"
        with pytest.raises(StorageError):
            await here.chat.post(ana, "lost")
        here.store.refusal = None
        await here.chat.post(ana, "kept")
        await asyncio.sleep(0)
        texts = [each.text for each in sink.events if isinstance(each, MessagePosted)]
        assert texts == ["kept"]


async def test_a_past_that_cannot_be_read_keeps_nobody_out() -> None:
    async with place() as here:
        await here.store.aclose()
        ana, sink = await here.enter("ana")
        assert kinds(sink.events)[-1] == "RosterListed"
        await here.chat.run_command(ana, "/join #a")
        assert ChannelEntered(ChannelName("#a")) in sink.events
        await here.chat.run_command(ana, "/export")
        assert codes(sink)[-1] == "error.store_closed"


async def test_a_move_tells_both_channels_and_shows_the_past_of_the_new_one() -> None:
    async with place() as here:
        ana, _ = await here.enter("ana")
        _, other = await here.enter("bob")
        cleo, there = await here.enter("cleo")
        await here.chat.run_command(cleo, "/join #a")
        await here.chat.post(cleo, "bienvenue @Nobody")
        await asyncio.sleep(0)
        there.take()
        other.take()
        await here.chat.run_command(ana, "/join #a")
        await eventually(lambda: "MemberJoined" in kinds(there.events))
        await turns()
        assert [each.nick for each in other.events if isinstance(each, MemberParted)] == ["ana"]
        assert [each.nick for each in there.events if isinstance(each, MemberJoined)] == ["ana"]
        moved = ana.sink.events  # type: ignore[attr-defined]
        entered = kinds(moved).index("ChannelEntered")
        assert kinds(moved)[entered : entered + 5] == [
            "ChannelEntered",
            "NoticeGiven",
            "NoticeGiven",
            "MessagePosted",
            "NoticeGiven",
        ]


def last_list(sink: RecordingSink) -> tuple[Nick, ...]:
    lists = [each.nicks for each in sink.events if isinstance(each, RosterListed)]
    return lists[-1] if lists else (Nick("nobody"),)


async def test_who_leaves_is_parted_and_its_name_is_free() -> None:
    async with place() as here:
        ana, _ = await here.enter("ana")
        _, sink = await here.enter("bob")
        here.chat.leave(ana)
        await eventually(lambda: last_list(sink)[0] == "bob")
        assert [each.nick for each in sink.events if isinstance(each, MemberParted)] == ["ana"]
        assert (await here.enter("ana"))[0].nick == "ana"


async def test_five_hundred_who_leave_at_once_cost_few_lists() -> None:
    async with place() as here:
        _, sink = await here.enter("stays")
        leavers = [await here.enter() for _ in range(500)]
        sink.take()
        for member, _ in leavers:
            here.chat.leave(member)
        await eventually(lambda: len(last_list(sink)) == 3)
        told = kinds(sink.events)
        assert told.count("MemberParted") == 500
        assert 1 <= told.count("RosterListed") <= 3
        assert last_list(sink)[0] == "stays"


async def test_a_reload_introduces_only_who_is_new_or_changed() -> None:
    async with place() as here:
        ana, sink = await here.enter("ana")
        sink.take()
        here.library.cast = type(here.library.cast)(
            (a_persona("Pharmacius"), a_persona("Batty", color="#000000"), a_persona("Turing")), ()
        )
        await here.chat.run_command(ana, "/reload")
        await eventually(lambda: kinds(sink.events).count("PersonaIntroduced") >= 2)
        await turns()
        introduced = [each.nick for each in sink.events if isinstance(each, PersonaIntroduced)]
        assert introduced == ["Batty", "Turing"]
        assert (await here.enter("turing"))[0].nick.startswith("user_")


async def test_commands_are_found_in_any_case_and_only_behind_a_slash() -> None:
    async with place() as here:
        ana, sink = await here.enter("ana")
        for line in ("/CHANNELS", "channels", "/", "   ", "/model x", "/persona", "//help", "/é"):
            await here.chat.run_command(ana, line)
        unknown = [
            str(each.text.data["command"])
            for each in sink.events
            if isinstance(each, NoticeGiven) and each.text.code == "command.unknown"
        ]
        assert unknown == ["channels", "/", "", "/model", "/persona", "//help", "/é"]
        assert "channels.page" in codes(sink)
        assert here.chat.is_urgent("/STOP now")
        assert not here.chat.is_urgent("stop")
        assert not here.chat.is_urgent("  ")
