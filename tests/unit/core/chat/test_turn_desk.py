"""Turns take place one at a time, can be stopped, and never take the program with them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from tests.support.turns import eventually, turns

from palabre.core.chat.briefing import Briefer
from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.members import Member
from palabre.core.chat.model import Event, MessagePosted, NoticeGiven, ReplyGrew, Utterance
from palabre.core.chat.reading_aloud import ReadingAloud
from palabre.core.chat.reply import ReplyService
from palabre.core.chat.turn_desk import MAX_WAITING, PersonaBusyError, TurnDesk
from palabre.core.chat.turns import Turn
from palabre.core.knowledge.ports import NoDocuments
from palabre.core.models.model import AnswerEvent, ChatRequest
from palabre.core.models.registry import ModelRegistry
from palabre.core.personas.model import Cast, Persona
from palabre.kernel.errors import UpstreamError
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.memories import StaticMemoryStore
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import Answer, ScriptedProvider
from palabre.testing.personas import a_persona
from palabre.testing.sinks import RecordingSink
from palabre.testing.telemetry import RecordingTelemetry

HERE, THERE = ChannelName("#here"), ChannelName("#there")
BATTY, RADIGUE = a_persona("Batty"), a_persona("Radigue")
CHAIN_DEPTH = 3


class SlowStore(MemoryMessageStore):
    """Says that it kept something only when a test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()

    async def append(self, utterance: Utterance) -> None:
        await super().append(utterance)
        await self.gate.wait()


class BrokenProvider(ScriptedProvider):
    """Has a bug."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[AnswerEvent]:
        async for event in super().stream(request):
            yield event
            raise RuntimeError("a bug")


@dataclass
class Stage:
    desk: TurnDesk
    provider: ScriptedProvider
    store: SlowStore
    sink: RecordingSink
    ana: Member
    bob: Member
    cast: list[Persona]

    def start(self, text: str = "Bonjour", **turn: object) -> "asyncio.Task[None]":
        asked = {"persona": BATTY, "channel": HERE, "asked_by": self.ana, **turn}
        return self.desk.start(Turn(text=text, **asked))  # type: ignore[arg-type]

    async def until(self, words: str) -> None:
        """Wait until a notice with this code, or a message with these words, was told."""
        await eventually(lambda: words in self.told())

    def has_grown(self) -> bool:
        return any(isinstance(event, ReplyGrew) for event in self.sink.events)

    def told(self) -> list[str]:
        return [_words(event) for event in self.sink.events if _words(event)]


def _words(event: Event) -> str:
    if isinstance(event, NoticeGiven):
        return event.text.code
    return event.text if isinstance(event, MessagePosted) else ""


@asynccontextmanager
async def stage(
    *answers: Answer | str, provider: ScriptedProvider | None = None
) -> AsyncIterator[Stage]:
    telemetry, clock, store, sink = (
        RecordingTelemetry(),
        FrozenClock(),
        SlowStore(),
        RecordingSink(),
    )
    provider = provider or ScriptedProvider(*answers, name="ollama", models=("qwen3:8b",))
    hub, cast = RoomHub(telemetry), [BATTY, RADIGUE]
    for channel in (HERE, THERE):
        hub.listen(channel, sink)
    reading_aloud = ReadingAloud(hub, None)
    replies = ReplyService(
        briefer=Briefer(
            store=store,
            memories=StaticMemoryStore(),
            knowledge=NoDocuments(),
            context_chars=4000,
        ),
        chronicle=Chronicle(store, hub, telemetry),
        hub=hub,
        models=ModelRegistry([provider], default_model="qwen3:8b", clock=clock),
        clock=clock,
        ids=CountingIds(),
        reading_aloud=reading_aloud,
        telemetry=telemetry,
    )
    people = [Member(Nick(nick), HERE, RecordingSink()) for nick in ("ana", "bob")]
    async with asyncio.TaskGroup() as tasks:
        desk = TurnDesk(
            tasks=tasks,
            replies=replies,
            reading_aloud=reading_aloud,
            cast=lambda: Cast(tuple(cast)),
            telemetry=telemetry,
            chain_depth=CHAIN_DEPTH,
            chain_delay_s=0.001,
        )
        yield Stage(desk, provider, store, sink, *people, cast)
        await desk.aclose()


async def test_one_persona_gives_its_answers_in_a_channel_one_after_the_other() -> None:
    gate = asyncio.Event()
    async with stage(Answer(("un",), gate=gate), "deux") as place:
        first, second = place.start(), place.start(asked_by=place.bob)
        await place.until("reply.typing")
        assert place.provider.open_calls == 1
        gate.set()
        await asyncio.gather(first, second)
        await asyncio.sleep(0)
        assert place.told() == ["reply.typing", "un", "reply.typing", "deux"]


async def test_other_channels_and_other_personas_do_not_wait() -> None:
    async with stage(Answer(gate=asyncio.Event())) as place:
        for turn in ({}, {"channel": THERE}, {"persona": RADIGUE}):
            place.start(**turn)
        await eventually(lambda: place.provider.open_calls == 3)


async def test_the_waiting_line_is_bounded_and_free_again_afterwards() -> None:
    gate = asyncio.Event()
    async with stage(Answer(gate=gate)) as place:
        turns = [place.start() for _ in range(MAX_WAITING + 1)]
        with pytest.raises(PersonaBusyError) as caught:
            place.start()
        assert caught.value.data == {"nick": "Batty", "waiting": MAX_WAITING}
        place.start(channel=THERE)
        gate.set()
        await asyncio.gather(*turns)
        await place.start()


async def test_a_stop_breaks_off_only_what_that_person_asked_for() -> None:
    async with stage(Answer(("Je ", "parle"), delay_s=60)) as place:
        mine, other = place.start(), place.start(persona=RADIGUE, asked_by=place.bob)
        await place.until("reply.typing")
        await eventually(place.has_grown)
        assert place.desk.stop(place.ana) == ["Batty"]
        await mine
        assert not other.done()
        await place.until("reply.stopped")
        assert [each.text for each in place.store.utterances] == ["Je"]
        assert place.desk.stop(place.ana) == []


async def test_a_stop_takes_those_who_wait_too() -> None:
    async with stage(Answer(gate=asyncio.Event())) as place:
        turns = [place.start() for _ in range(3)]
        await place.until("reply.typing")
        assert place.desk.stop(place.ana) == ["Batty"]
        await asyncio.gather(*turns, return_exceptions=True)
        assert len(place.provider.requests) == 1


async def test_a_stop_that_comes_while_the_answer_is_kept_comes_too_late() -> None:
    async with stage("Tout est dit") as place:
        place.store.gate.clear()
        turn = place.start()
        await eventually(lambda: bool(place.store.utterances))
        assert place.desk.stop(place.ana) == []
        place.store.gate.set()
        await turn
        await place.until("Tout est dit")
        assert [each.text for each in place.store.utterances] == ["Tout est dit"]
        assert "reply.stopped" not in place.told()


async def test_two_stops_at_once_are_one() -> None:
    async with stage(Answer(("Je ", "parle"), delay_s=60)) as place:
        turn = place.start()
        await eventually(place.has_grown)
        place.store.gate.clear()
        place.desk.stop(place.ana)
        place.desk.stop(place.ana)
        await turns()
        place.desk.stop(place.ana)
        place.store.gate.set()
        await turn
        await place.until("reply.stopped")
        assert [word for word in place.told() if word == "Je"] == ["Je"]


async def test_a_stop_on_a_full_disk_is_told_and_the_rooms_go_on() -> None:
    async with stage(Answer(("Je ", "parle"), delay_s=60), "encore") as place:
        turn = place.start()
        await eventually(place.has_grown)
        place.store.refusal = "disk full"
        place.desk.stop(place.ana)
        await turn
        await place.until("error.storage")
        place.store.refusal = None
        await place.start()
        await place.until("encore")


async def test_a_bug_in_a_reply_tells_a_reference_and_the_rooms_go_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = BrokenProvider("x", name="ollama", models=("qwen3:8b",))
    async with stage(provider=broken) as place:
        await place.start()
        await place.until("reply.fault")
        notice = next(
            event
            for event in place.sink.events
            if isinstance(event, NoticeGiven) and event.text.code == "reply.fault"
        )
        reference = str(notice.text.data["reference"])
        assert reference in {str(getattr(record, "reference", "")) for record in caplog.records}
        await place.start()


async def test_a_bug_after_a_reply_is_told_too() -> None:
    async with stage("@Radigue ?") as place:
        place.cast[:] = [BATTY, None]  # type: ignore[list-item]
        await place.start()
        await place.until("reply.fault")
        assert "@Radigue ?" in place.told()


async def test_an_upstream_failure_is_told_in_its_words() -> None:
    failing = Answer((), error=UpstreamError(service="Ollama", detail="returned 500"))
    async with stage(failing) as place:
        await place.start()
        await place.until("reply.failed")
        assert place.store.utterances == []


async def test_an_answer_without_words_is_never_a_message() -> None:
    async with stage("<think>hm</think>\n  ") as place:
        await place.start()
        await place.until("reply.silent")
        assert place.store.utterances == []


async def test_personas_call_on_one_another_so_often_and_no_more() -> None:
    async with stage("@Radigue @Batty !") as place:
        await place.start()
        await eventually(lambda: len(place.provider.requests) > CHAIN_DEPTH)
        await asyncio.sleep(0.05)
        speakers = [said.nick for said in place.store.utterances]
        assert speakers == ["Batty", "Radigue", "Batty", "Radigue"]


async def test_a_person_who_speaks_ends_the_calling() -> None:
    gate = asyncio.Event()
    async with stage(Answer(("@Radigue ?",), gate=gate)) as place:
        turn = place.start()
        await place.until("reply.typing")
        place.desk.person_spoke(THERE)
        place.desk.person_spoke(HERE)
        gate.set()
        await turn
        await asyncio.sleep(0.05)
        assert len(place.provider.requests) == 1


async def test_the_end_of_the_program_breaks_everything_off() -> None:
    async with stage(Answer(gate=asyncio.Event())) as place:
        turns = [place.start(), place.start(), place.start(persona=RADIGUE)]
        await place.until("reply.typing")
        await place.desk.aclose()
        assert all(turn.done() for turn in turns)
        assert place.provider.open_calls == 0
        assert not place.store.utterances


async def test_what_was_said_until_the_end_of_the_program_is_kept() -> None:
    async with stage(Answer(("La mer est ", "une voile"), delay_s=30)) as place:
        turn = place.start()
        await eventually(lambda: place.provider.open_calls == 1)
        await eventually(lambda: any(isinstance(each, ReplyGrew) for each in place.sink.events))
        await place.desk.aclose()
        assert turn.done()
        assert [said.text for said in place.store.utterances] == ["La mer est"]
