"""What every `ModelProvider` promises, asked of each."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from tests.support.chat_peers import MODEL, Peer, peer

from palabre.core.models.errors import ModelNotFoundError, reason_of
from palabre.core.models.model import (
    AnswerEnded,
    AnswerEvent,
    AnswerGrew,
    AnswerStarted,
    Capability,
    ChatMessage,
    ChatRequest,
    ThoughtGrew,
)
from palabre.core.models.ports import Embedder
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import verbatim
from palabre.texts import say

KINDS = [
    "scripted",
    "ollama split every 1",
    "ollama split every 7",
    "ollama split every 100000",
    "openai split every 1",
    "openai split every 7",
    "openai split every 100000",
]
ASK = ChatRequest(MODEL, (ChatMessage("user", "Bonjour"),), on_behalf_of="#general")
PIECES = ("Xéna", "kis\u2028", " \u0085", "é", " 😀\n", 'a "dit"')


@pytest.fixture(params=KINDS)
async def model(request: pytest.FixtureRequest) -> AsyncIterator[Peer]:
    async with peer(request.param) as made:
        yield made


def embedder(model: Peer) -> Embedder:
    assert isinstance(model.provider, Embedder)
    return model.provider


async def collect(model: Peer) -> list[AnswerEvent]:
    return [event async for event in model.provider.stream(ASK)]


async def test_an_answer_starts_grows_and_ends(model: Peer) -> None:
    model.answers(*PIECES)
    first, *grown, last = await collect(model)
    assert first == AnswerStarted()
    assert "".join(each.text for each in grown if isinstance(each, AnswerGrew)) == "".join(PIECES)
    assert len(grown) == len(PIECES)
    assert isinstance(last, AnswerEnded)
    assert last.reason == "stop"


async def test_thoughts_come_apart_from_the_answer(model: Peer) -> None:
    model.answers("Oui.", thoughts=("Hm. ", "Voyons."))
    events = await collect(model)
    assert events[1:4] == [ThoughtGrew("Hm. "), ThoughtGrew("Voyons."), AnswerGrew("Oui.")]


async def test_an_empty_piece_is_no_event(model: Peer) -> None:
    model.answers("", "Oui.", "")
    assert (await collect(model))[1:-1] == [AnswerGrew("Oui.")]


async def test_an_answer_may_be_empty(model: Peer) -> None:
    model.answers()
    first, last = await collect(model)
    assert (first, type(last)) == (AnswerStarted(), AnswerEnded)


async def test_a_failure_in_the_middle_keeps_what_was_said_and_raises(model: Peer) -> None:
    model.fails_after("Xéna", "kis")
    events: list[AnswerEvent] = []
    with pytest.raises(UpstreamError) as failed:
        async for event in model.provider.stream(ASK):
            events.append(event)  # noqa: PERF401 - what came before the error counts
    assert events == [AnswerStarted(), AnswerGrew("Xéna"), AnswerGrew("kis")]
    assert reason_of(failed.value) == verbatim("out of memory")


async def test_closing_the_answer_ends_the_call_at_the_server(model: Peer) -> None:
    model.hangs_after("Xéna")
    async with aclosing(model.provider.stream(ASK)) as answer:
        async for event in answer:
            if isinstance(event, AnswerGrew):
                break
    await model.until_left()


async def test_cancelling_the_reader_ends_the_call_at_the_server(model: Peer) -> None:
    model.hangs_after("Xéna")
    grew = asyncio.Event()

    async def read() -> None:
        async with aclosing(model.provider.stream(ASK)) as answer:
            async for event in answer:
                if isinstance(event, AnswerGrew):
                    grew.set()

    task = asyncio.create_task(read())
    await asyncio.wait_for(grew.wait(), 30)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await model.until_left()


async def test_a_call_that_was_closed_frees_its_place(model: Peer) -> None:
    model.hangs_after("Xéna")
    async with aclosing(model.provider.stream(ASK)) as answer:
        await anext(answer)
        await anext(answer)
    model.answers("Oui.")
    async with asyncio.timeout(30):
        assert AnswerGrew("Oui.") in await collect(model)


async def test_a_model_that_is_not_there_is_an_error_of_its_own(model: Peer) -> None:
    model.lacks_the_model()
    with pytest.raises(ModelNotFoundError):
        await collect(model)
    with pytest.raises(ModelNotFoundError):
        await embedder(model).embed(MODEL, ["a"])


async def test_a_server_that_is_down_is_an_upstream_error_everywhere(model: Peer) -> None:
    model.goes_down()
    for ask in (collect(model), model.provider.models(), embedder(model).embed(MODEL, ["a"])):
        with pytest.raises(UpstreamError) as failed:
            await ask
        assert say(reason_of(failed.value))


async def test_health_tells_and_never_raises(model: Peer) -> None:
    assert (await model.provider.health()).ok
    model.goes_down()
    health = await model.provider.health()
    assert not health.ok
    assert say(health.detail)


async def test_models_are_listed_with_what_they_can_do(model: Peer) -> None:
    (info,) = await model.provider.models()
    assert (info.provider, info.id) == (model.provider.name, MODEL)
    assert Capability.CHAT in info.capabilities


async def test_each_text_gets_its_vector_in_order(model: Peer) -> None:
    first, second = await embedder(model).embed(MODEL, ["a", "bc"])
    assert len(first) == len(second)
    assert first != second
    assert first[0] in {1.0}
