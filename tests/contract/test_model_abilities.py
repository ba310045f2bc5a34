"""What models can do besides chatting: pictures, tools, schemas, vectors, asked of each provider."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from tests.support.chat_peers import MODEL, Peer, peer

from palabre.core.models.model import (
    AnswerEnded,
    AnswerEvent,
    AnswerGrew,
    ChatMessage,
    ChatRequest,
    ImageInput,
    ToolCall,
    ToolCalled,
    ToolSpec,
)
from palabre.core.models.ports import Embedder

KINDS = ["scripted", "ollama split every 7", "openai split every 7"]
PICTURE = ImageInput(b"\x89PNG\r\n\x1a\n\x00", "image/png")
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
SEARCH = ToolSpec("web_search", "Cherche sur le web.", json.dumps(SCHEMA))
DRAW = ToolSpec("image_generate", "Dessine.", "{}")
LILLE = ToolCall("call_1", "web_search", json.dumps({"query": "météo « Lille » 😀"}))
NIGHT = ToolCall("call_2", "image_generate", json.dumps({"prompt": "la nuit"}))
HELLO = ChatMessage("user", "Bonjour")


@pytest.fixture(params=KINDS)
async def model(request: pytest.FixtureRequest) -> AsyncIterator[Peer]:
    async with peer(request.param) as made:
        yield made


async def collect(model: Peer, request: ChatRequest) -> list[AnswerEvent]:
    return [event async for event in model.provider.stream(request)]


async def test_a_picture_goes_along_with_its_words(model: Peer) -> None:
    model.answers("Un chat.")
    shown = ChatMessage("user", "Que vois-tu ?", (PICTURE,))
    await collect(model, ChatRequest(MODEL, (ChatMessage("system", "Décris."), shown)))
    heard = model.heard()
    assert heard.messages == [("system", "Décris."), ("user", "Que vois-tu ?")]
    assert heard.images == [PICTURE.content]


async def test_tools_are_told_with_their_parameters(model: Peer) -> None:
    model.answers("Non.")
    await collect(model, ChatRequest(MODEL, (HELLO,), tools=(SEARCH, DRAW)))
    assert model.heard().tools == [("web_search", SCHEMA), ("image_generate", {})]


async def test_without_tools_and_schema_nothing_is_said_of_them(model: Peer) -> None:
    model.answers("Oui.")
    await collect(model, ChatRequest(MODEL, (HELLO,)))
    heard = model.heard()
    assert (heard.tools, heard.schema, heard.images) == ([], None, [])


async def test_calls_of_tools_come_whole_and_in_order(model: Peer) -> None:
    model.calls(LILLE, NIGHT)
    events = await collect(model, ChatRequest(MODEL, (HELLO,), tools=(SEARCH, DRAW)))
    calls = [event.call for event in events if isinstance(event, ToolCalled)]
    assert [(call.id, call.name) for call in calls] == [(c.id, c.name) for c in (LILLE, NIGHT)]
    assert [json.loads(call.arguments) for call in calls] == [
        json.loads(call.arguments) for call in (LILLE, NIGHT)
    ]
    assert isinstance(events[-1], AnswerEnded)


@pytest.mark.parametrize("named", [True, False], ids=["with an id", "without an id"])
async def test_what_a_tool_found_goes_back_beside_its_call(model: Peer, named: bool) -> None:
    call = LILLE if named else replace(LILLE, id="")
    model.answers("Il pleut.")
    asked = ChatMessage("assistant", "", tool_calls=(call,))
    found = ChatMessage("tool", "pluie", tool_call=call)
    events = await collect(model, ChatRequest(MODEL, (HELLO, asked, found), tools=(SEARCH,)))
    heard = model.heard()
    assert [role for role, _ in heard.messages] == ["user", "assistant", "tool"]
    assert heard.messages[-1][1] == "pluie"
    assert heard.past_calls == [("web_search", json.loads(LILLE.arguments))]
    assert heard.answered == ["web_search"]
    assert AnswerGrew("Il pleut.") in events


async def test_a_schema_of_the_answer_is_told(model: Peer) -> None:
    model.answers('{"query": "x"}')
    await collect(model, ChatRequest(MODEL, (HELLO,), answer_schema=json.dumps(SCHEMA)))
    assert model.heard().schema == SCHEMA


async def test_vectors_of_questions_and_of_passages_can_be_asked_for(model: Peer) -> None:
    assert isinstance(model.provider, Embedder)
    assert len(await model.provider.embed(MODEL, ["a", "bc"], "question")) == 2
    assert model.read() == ["a", "bc"]
