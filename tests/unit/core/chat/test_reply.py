"""One answer: what the model is asked, what the channel is told, what is kept."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.turns import eventually, turns

from palabre.core.chat.briefing import MAX_TOKENS, Briefer
from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.members import Member
from palabre.core.chat.model import MessagePosted, NoticeGiven, ReplyGrew, Utterance
from palabre.core.chat.ongoing_reply import MAX_ANSWER_CHARS
from palabre.core.chat.reading_aloud import ReadingAloud
from palabre.core.chat.reply import PIECE_CHARS, ReplyService
from palabre.core.chat.turns import Turn
from palabre.core.knowledge.ports import NoDocuments
from palabre.core.memory.model import Memory
from palabre.core.models.errors import ModelBusyError, SilentServerError
from palabre.core.models.model import AnswerEvent, ChatRequest
from palabre.core.models.registry import Arrival, ModelRegistry
from palabre.kernel.errors import UpstreamError
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.text import text
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.memories import StaticMemoryStore
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import Answer, ScriptedProvider
from palabre.testing.personas import a_persona
from palabre.testing.sinks import RecordingSink
from palabre.testing.telemetry import RecordingTelemetry
from palabre.texts import say

HERE = ChannelName("#here")
BATTY = a_persona("Batty", color="#ef5350")
NOON = datetime(2026, 3, 20, 12, tzinfo=UTC)


class Scene:
    def __init__(
        self,
        *answers: Answer | str,
        context_chars: int = 4000,
        provider: ScriptedProvider | None = None,
        patience_s: float = 3.0,
    ) -> None:
        clock, telemetry = FrozenClock(NOON), RecordingTelemetry()
        self.store, self.sink, hub = MemoryMessageStore(), RecordingSink(), RoomHub(telemetry)
        hub.listen(HERE, self.sink)
        scripted = ScriptedProvider(*answers, name="ollama", models=("qwen3:8b",))
        self.provider = provider or scripted
        self.models = ModelRegistry([self.provider], default_model="qwen3:8b", clock=clock)
        self.replies = ReplyService(
            briefer=Briefer(
                store=self.store,
                memories=StaticMemoryStore(Batty=Memory(facts=("Batty se souvient",))),
                knowledge=NoDocuments(),
                context_chars=context_chars,
            ),
            chronicle=Chronicle(self.store, hub, telemetry),
            hub=hub,
            models=self.models,
            clock=clock,
            ids=CountingIds(),
            reading_aloud=ReadingAloud(hub, None),
            telemetry=telemetry,
            patience_s=patience_s,
        )

    async def answer(self, words: str = "Bonjour", cause: Utterance | None = None) -> str:
        ana = Member(Nick("ana"), HERE, RecordingSink())
        reply = self.replies.begin(Turn(BATTY, HERE, ana, words, cause=cause))
        said = await self.replies.run(reply)
        await asyncio.sleep(0)
        return said.text if said else ""

    async def remember(self, *texts: str) -> Sequence[Utterance]:
        kept = [
            Utterance(NOON + timedelta(seconds=number), HERE, Nick("ana"), each)
            for number, each in enumerate(texts)
        ]
        for each in kept:
            await self.store.append(each)
        return kept


async def test_an_answer_is_announced_grows_in_numbered_pieces_and_ends_as_a_message() -> None:
    scene = Scene(Answer(("Batty : ", "Xena", "kis", " !"), thoughts=("hm",)))
    assert await scene.answer() == "Xenakis !"
    typing, *grown, message = scene.sink.events
    assert isinstance(typing, NoticeGiven)
    assert typing.text.code == "reply.typing"
    pieces = [(each.number, each.text) for each in grown if isinstance(each, ReplyGrew)]
    assert pieces == [(1, "Xena"), (2, "kis"), (3, " !")]
    assert isinstance(message, MessagePosted)
    assert (message.text, message.color, message.seq) == ("Xenakis !", "#ef5350", 2)
    ids = {each.reply_id for each in (typing, message, *grown) if hasattr(each, "reply_id")}
    assert ids == {"reply_0_00000001"}
    assert [(each.nick, each.text) for each in scene.store.utterances] == [("Batty", "Xenakis !")]


async def test_the_model_is_asked_with_memory_and_context_and_the_question_once() -> None:
    scene = Scene("oui")
    *_, cause = await scene.remember("salut", "Que penses-tu ?")
    await scene.answer("Que penses-tu ?", cause)
    (request,) = scene.provider.requests
    system, user = request.messages
    assert "Batty se souvient" in system.content
    assert user.content.count("Que penses-tu ?") == 1
    assert "ana: salut" in user.content
    assert (request.max_tokens, request.on_behalf_of) == (MAX_TOKENS, HERE)


async def test_the_question_takes_no_room_in_the_context() -> None:
    scene = Scene("oui", context_chars=10)
    *_, cause = await scene.remember("x" * 11, "dix lettres"[:10], "Q" * 2000)
    await scene.answer("Q" * 2000, cause)
    user = scene.provider.requests[0].messages[-1].content
    assert "ana: dix lettre" in user
    assert "xxx" not in user


async def test_the_rooms_own_lines_are_no_part_of_the_conversation() -> None:
    scene = Scene("oui")
    await scene.store.append(Utterance(NOON, HERE, Nick("*"), "ana est partie", "system"))
    await scene.remember("salut")
    await scene.answer()
    user = scene.provider.requests[0].messages[-1].content
    assert "ana: salut" in user
    assert "partie" not in user


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "reply.silent"),
        ("<think>only thoughts", "reply.silent"),
        ("Batty :", "reply.silent"),
        (Answer((), error=UpstreamError(service="Ollama", detail="x")), "reply.failed"),
        (Answer(("Un ",), error=UpstreamError(detail="cut")), "reply.failed"),
    ],
)
async def test_an_answer_that_comes_to_nothing_is_told_and_not_kept(
    answer: Answer | str, code: str
) -> None:
    scene = Scene(answer)
    assert await scene.answer() == ""
    last = scene.sink.events[-1]
    assert isinstance(last, NoticeGiven)
    assert last.text.code == code
    assert scene.store.utterances == []


async def test_while_the_first_model_is_on_its_way_the_answer_waits_for_it() -> None:
    scene = Scene("oui")
    arrival = scene.models.arrival = Arrival(percent=45)
    async with asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(scene.answer())
        await turns()
        assert not scene.provider.requests
        scene.models.arrival = None
        arrival.ended.set()
    assert answer.result() == "oui"
    coming, typing, *_ = [each for each in scene.sink.events if isinstance(each, NoticeGiven)]
    assert coming.text == text("reply.model_coming", nick="Batty", percent=45)
    assert typing.text.code == "reply.typing"


async def test_an_answer_without_end_is_cut_told_and_its_call_ended() -> None:
    scene = Scene(Answer(tuple("x" * 150_000 for _ in range(50))))
    assert len(await scene.answer()) == MAX_ANSWER_CHARS
    last = scene.sink.events[-1]
    assert isinstance(last, NoticeGiven)
    assert last.text == text("reply.too_long", nick="Batty", most=MAX_ANSWER_CHARS)
    assert (scene.provider.open_calls, scene.provider.closed_early) == (0, 1)


async def test_an_answer_in_one_piece_leaves_others_their_turn() -> None:
    scene, turns = Scene("Une ligne.\n" * 2000), 0
    answer = asyncio.create_task(scene.answer())
    while not answer.done():
        turns += 1
        await asyncio.sleep(0)
    assert await answer == ("Une ligne.\n" * 2000).strip()
    pieces = [each for each in scene.sink.events if isinstance(each, ReplyGrew)]
    assert turns > len(pieces) >= 2000 * 11 // PIECE_CHARS
    assert "".join(each.text for each in pieces).strip() == await answer


async def test_an_answer_that_cannot_be_kept_is_not_a_message() -> None:
    scene = Scene("oui")
    scene.store.refusal = "disk full"
    assert await scene.answer() == ""
    assert not [each for each in scene.sink.events if isinstance(each, MessagePosted)]
    last = scene.sink.events[-1]
    assert isinstance(last, NoticeGiven)
    assert last.text.code == "error.storage"


async def test_without_any_model_the_reason_is_told() -> None:
    scene = Scene("oui")
    scene.provider.down = "nobody home"
    assert await scene.answer() == ""
    told = scene.sink.events[-1]
    assert isinstance(told, NoticeGiven)
    assert say(told.text).endswith(
        "erreur Ollama — Aucun modèle de langage ne peut répondre (nobody home). "
        "Lancez `palabre model pull`, ou démarrez Ollama."
    )


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (UpstreamError(detail="out of memory"), "out of memory"),
        (ModelBusyError(waiting=64), "Too many requests wait for the model already (64)"),
        (SilentServerError(), "Ollama took too long to answer"),
    ],
)
async def test_a_failure_is_told_in_the_servers_words_or_in_the_readers_language(
    error: UpstreamError, told: str
) -> None:
    scene = Scene(Answer((), error=error))
    await scene.answer()
    last = scene.sink.events[-1]
    assert isinstance(last, NoticeGiven)
    assert f"Ollama error — {told}" in say(last.text, "en")


class BusyProvider(ScriptedProvider):
    """Starts no answer until the test says so."""

    def __init__(self) -> None:
        super().__init__("oui", name="ollama", models=("qwen3:8b",))
        self.free = asyncio.Event()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[AnswerEvent]:
        await self.free.wait()
        async for event in super().stream(request):
            yield event


async def test_a_persona_that_waits_for_its_model_says_so_once() -> None:
    busy = BusyProvider()
    scene = Scene(provider=busy, patience_s=0.01)
    async with asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(scene.answer())
        await eventually(lambda: any(isinstance(e, NoticeGiven) for e in scene.sink.events))
        await asyncio.sleep(0.05)  # five times its patience: it says so no second time
        busy.free.set()
    assert answer.result() == "oui"
    told = [each.text.code for each in scene.sink.events if isinstance(each, NoticeGiven)]
    assert told == ["reply.waiting", "reply.typing"]
