"""Our model providers against aimock, which plays scripted answers in both dialects.

In Ollama's dialect it has no `/api/version`, `/api/show`, `/api/ps` and `/api/pull`, calls thoughts
`reasoning_content`, and answers `/api/embed` with one `embedding`: those are not tried here.
"""

import base64
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from tests.support import peers
from tests.support.model_questions import ask, detail, events_of, ollama_at, openai_at, pieces
from tests.support.peers import running

from palabre.core.models.model import (
    AnswerEnded,
    AnswerEvent,
    ChatMessage,
    ImageInput,
    ThoughtGrew,
    ToolCalled,
    ToolSpec,
)
from palabre.core.models.ports import ModelProvider
from palabre.kernel.errors import UpstreamError

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.timeout(120),
    pytest.mark.skipif(bool(peers.why_no_aimock()), reason=peers.why_no_aimock()),
]

DIALECTS = {"ollama": ollama_at, "openai": openai_at}
FRENCH = "Voilà l'été…\u2028« Déjà ! » dit-elle à Zoë\u0085 — 日本, ☀."
TALE = "Il était une fois un roi."
LILLE = {"query": "météo « Lille » ☀"}
TOOLS = tuple(ToolSpec(name, "Cherche.", "{}") for name in ("web_search", "rag_search"))
PICTURE = ImageInput(b"\x89PNG\r\n\x1a\n", "image/png")


def aimock_answers() -> list[dict[str, Any]]:
    def error(status: int, words: str) -> dict[str, Any]:
        return {"status": status, "error": {"message": words, "type": "server_error"}}

    loading = [
        {
            "match": {"userMessage": f"charge {dialect}", "sequenceIndex": 0},
            "response": error(503, "Loading model"),
        }
        for dialect in DIALECTS
    ]
    return [
        *loading,
        {"match": {"userMessage": "charge"}, "response": {"content": "Prêt."}},
        {"match": {"userMessage": "bonjour"}, "response": {"content": FRENCH}, "chunkSize": 3},
        {
            "match": {"userMessage": "pense"},
            "response": {"content": "Oui.", "reasoning": "Voyons."},
        },
        {"match": {"userMessage": "trop"}, "response": error(429, "Slow down")},
        {"match": {"userMessage": "panne"}, "response": error(500, "Out of memory")},
        {
            "match": {"userMessage": "météo", "toolName": "web_search", "hasToolResult": False},
            "response": {
                "toolCalls": [
                    {"name": "web_search", "arguments": json.dumps(LILLE)},
                    {"name": "rag_search", "arguments": "{}"},
                ]
            },
            "chunkSize": 4,
        },
        {
            "match": {"userMessage": "météo", "hasToolResult": True},
            "response": {"content": "Il pleut."},
        },
        {
            "match": {"userMessage": "fiche", "responseFormat": "json_schema"},
            "response": {"content": "{}"},
        },
        {"match": {"userMessage": "regarde"}, "response": {"content": "Un chat."}},
        {
            "match": {"userMessage": "coupe"},
            "response": {"content": TALE},
            "chunkSize": 4,
            "latency": 50,
            "truncateAfterChunks": 3,
        },
    ]


@pytest.fixture(scope="module")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("aimock")
    fixtures = folder / "answers.json"
    fixtures.write_text(json.dumps({"fixtures": aimock_answers()}), encoding="utf-8")
    command = ["node", peers.AIMOCK, "--host", "127.0.0.1", "--port", "0", "-f", fixtures]
    with running(command, folder) as peer:
        yield peer.url


@pytest.fixture(params=list(DIALECTS))
async def scripted(request: pytest.FixtureRequest, aimock: str) -> AsyncIterator[ModelProvider]:
    provider = DIALECTS[request.param](aimock)
    yield provider
    await provider.aclose()


async def test_aimock_is_well_and_lists_models(scripted: ModelProvider) -> None:
    assert (await scripted.health()).ok
    assert "gpt-4o" in [info.id for info in await scripted.models()]


async def test_every_character_of_a_scripted_answer_arrives(scripted: ModelProvider) -> None:
    events = await events_of(scripted, ask("gpt-4o", "bonjour"))
    assert "".join(pieces(events)) == FRENCH
    assert len(pieces(events)) == -(-len(FRENCH) // 3)
    assert isinstance(events[-1], AnswerEnded)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("trop", "returned 429: Too Many Requests — Slow down"),
        ("panne", "returned 500: Internal Server Error — Out of memory"),
    ],
)
async def test_a_refusal_is_told_in_the_servers_words_and_not_tried_again(
    scripted: ModelProvider, aimock: str, words: str, told: str
) -> None:
    before = await asked(aimock, words)
    with pytest.raises(UpstreamError) as refused:
        await events_of(scripted, ask("gpt-4o", words))
    assert told in detail(refused)
    assert await asked(aimock, words) == before + 1


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_model_that_is_loading_is_asked_again(aimock: str, dialect: str) -> None:
    provider = DIALECTS[dialect](aimock)
    events = await events_of(provider, ask("gpt-4o", f"charge {dialect}"))
    assert pieces(events) == ["Prêt."]
    assert await asked(aimock, f"charge {dialect}") == 2
    await provider.aclose()


async def test_a_cut_answer_is_an_error_after_its_beginning(scripted: ModelProvider) -> None:
    heard: list[AnswerEvent] = []
    with pytest.raises(UpstreamError) as cut:
        async for event in scripted.stream(ask("gpt-4o", "coupe")):
            heard.append(event)  # noqa: PERF401 - the error would lose the list
    beginning = "".join(pieces(heard))
    assert beginning
    assert TALE.startswith(beginning)
    assert "stopped in the middle" in detail(cut)


async def test_thoughts_and_vectors_come_in_openais_dialect(aimock: str) -> None:
    provider = openai_at(aimock)
    events = await events_of(provider, ask("o3-mini", "pense"))
    assert [event.text for event in events if isinstance(event, ThoughtGrew)] == ["Voyons."]
    assert pieces(events) == ["Oui."]
    first, again = await provider.embed("text-embedding-3-small", ["un chat", "un chat"])
    assert first == again
    await provider.aclose()


async def test_tools_are_called_and_what_they_found_goes_back(scripted: ModelProvider) -> None:
    request = replace(ask("gpt-4o", "météo"), tools=TOOLS)
    events = await events_of(scripted, request)
    calls = tuple(event.call for event in events if isinstance(event, ToolCalled))
    assert [call.name for call in calls] == ["web_search", "rag_search"]
    assert [json.loads(call.arguments) for call in calls] == [LILLE, {}]
    told = (
        *request.messages,
        ChatMessage("assistant", "", tool_calls=calls),
        *(ChatMessage("tool", "pluie", tool_call=call) for call in calls),
    )
    assert (
        "".join(pieces(await events_of(scripted, replace(request, messages=told)))) == "Il pleut."
    )


async def test_a_picture_is_taken(scripted: ModelProvider) -> None:
    shown = ChatMessage("user", "regarde", (PICTURE,))
    events = await events_of(scripted, replace(ask("gpt-4o", ""), messages=(shown,)))
    assert "".join(pieces(events)) == "Un chat."


async def test_a_picture_arrives_whole_in_openais_dialect(aimock: str) -> None:
    """In Ollama's dialect aimock takes pictures, but does not tell what it got."""
    provider = openai_at(aimock)
    shown = ChatMessage("user", "regarde", (PICTURE,))
    await events_of(provider, replace(ask("gpt-4o", ""), messages=(shown,)))
    (message,) = (await journal(aimock))[-1]["body"]["messages"]
    (url,) = [part["image_url"]["url"] for part in message["content"] if "image_url" in part]
    assert url == f"data:image/png;base64,{base64.b64encode(PICTURE.content).decode()}"
    await provider.aclose()


async def test_a_schema_is_seen_in_openais_dialect(aimock: str) -> None:
    provider = openai_at(aimock)
    schema = json.dumps({"type": "object", "properties": {}})
    events = await events_of(provider, replace(ask("gpt-4o", "fiche"), answer_schema=schema))
    assert pieces(events) == ["{}"]
    await provider.aclose()


async def asked(aimock: str, words: str) -> int:
    entries = await journal(aimock)
    said = [entry["body"]["messages"][-1]["content"] for entry in entries if entry.get("body")]
    return said.count(words)


async def journal(aimock: str) -> list[dict[str, Any]]:
    async with httpx2.AsyncClient(trust_env=False) as http:
        entries: list[dict[str, Any]] = (await http.get(f"{aimock}/v1/_requests")).json()
    return entries
