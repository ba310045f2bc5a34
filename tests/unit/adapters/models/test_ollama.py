import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from tests.support.raw_http import RawServer, Reply, raw_server

from palabre.adapters.models.ollama import OllamaProvider
from palabre.adapters.models.ollama_request import context_tokens
from palabre.core.models.errors import ModelNotFoundError, OddAnswerError, reason_of
from palabre.core.models.model import (
    AnswerEnded,
    AnswerGrew,
    Capability,
    ChatMessage,
    ChatRequest,
    ImageInput,
    PullProgress,
    ToolCall,
    ToolCalled,
    ToolSpec,
)
from palabre.core.models.slots import CallSlots
from palabre.kernel.errors import UpstreamError
from palabre.testing.ollama import running
from palabre.texts import say

ASK = ChatRequest("qwen3:8b", (ChatMessage("user", "Bonjour"),))
OK = Reply((b'{"message":{"content":"Oui."}}\n{"done":true}\n',))
CHAT = "POST /api/chat"


@pytest.fixture
async def server() -> AsyncIterator[RawServer]:
    async with raw_server() as made:
        yield made


@pytest.fixture
async def ollama(server: RawServer) -> AsyncIterator[OllamaProvider]:
    provider = OllamaProvider(CallSlots(3, 8), server.url, timeout_s=30)
    yield provider
    await provider.aclose()


async def answer(ollama: OllamaProvider, request: ChatRequest = ASK) -> str:
    events = [event async for event in ollama.stream(request)]
    return "".join(event.text for event in events if isinstance(event, AnswerGrew))


async def failure(ollama: OllamaProvider) -> str:
    with pytest.raises(UpstreamError) as failed:
        await answer(ollama)
    return say(reason_of(failed.value), "en")


@pytest.mark.parametrize(
    ("chars", "tokens"),
    [(0, 4096), (8192, 4096), (8193, 6144), (16_384, 6144), (16_388, 8192), (1_000_000, 32_768)],
)
def test_num_ctx_is_the_prompt_plus_2048_in_steps_of_2048_within_4096_and_32768(chars, tokens):
    halves = (
        ChatMessage("system", "x" * (chars // 2)),
        ChatMessage("user", "x" * (chars - chars // 2)),
    )
    assert context_tokens(ChatRequest("m", halves)) == tokens


async def test_a_call_sends_what_the_seed_says(server: RawServer, ollama: OllamaProvider) -> None:
    server.on(CHAT, OK)
    request = ChatRequest("qwen3:8b", ASK.messages, max_tokens=77, temperature=0.5)
    await answer(ollama, request)
    ((_, body),) = server.requests
    assert json.loads(body) == {
        "model": "qwen3:8b",
        "messages": [{"role": "user", "content": "Bonjour"}],
        "stream": True,
        "keep_alive": "30m",
        "options": {"num_ctx": 4096, "num_predict": 77, "temperature": 0.5},
    }


async def test_what_was_not_asked_for_is_left_to_the_model(
    server: RawServer, ollama: OllamaProvider
) -> None:
    server.on(CHAT, OK)
    await answer(ollama)
    assert json.loads(server.requests[0][1])["options"] == {"num_ctx": 4096, "num_predict": 2048}


async def test_the_end_tells_the_reason_and_the_tokens(
    server: RawServer, ollama: OllamaProvider
) -> None:
    end = b'{"done":true,"done_reason":"length","prompt_eval_count":7,"eval_count":9}'
    server.on(CHAT, Reply((end,)))
    events = [event async for event in ollama.stream(ASK)]
    assert events[-1] == AnswerEnded("length", 7, 9)


async def test_what_follows_the_end_is_not_read(server: RawServer, ollama: OllamaProvider) -> None:
    server.on(CHAT, Reply((b'{"done":true}\n',), hang=True))
    async with asyncio.timeout(30):
        assert await answer(ollama) == ""


@pytest.mark.parametrize(
    ("status", "body", "detail"),
    [
        ("500 Internal Server Error", b"oops", "Ollama returned 500: Internal Server Error"),
        ("500 Internal Server Error", b"", "Ollama returned 500: Internal Server Error"),
        ("500 ", b"{}", "Ollama returned 500: Internal Server Error"),
        (
            "500 Internal Server Error",
            b'{"error":"model runner has stopped"}',
            "Ollama returned 500: Internal Server Error — model runner has stopped",
        ),
        (
            "400 Bad Request",
            b'{"error":{"message":"too long"}}',
            "Ollama returned 400: Bad Request — too long",
        ),
    ],
)
async def test_a_refusal_is_told_by_status_reason_and_the_servers_words(
    server: RawServer, ollama: OllamaProvider, status: str, body: bytes, detail: str
) -> None:
    server.on(CHAT, Reply((body,) if body else (), status))
    assert await failure(ollama) == detail


async def test_an_unknown_model_is_an_error_of_its_own(
    server: RawServer, ollama: OllamaProvider
) -> None:
    server.on(CHAT, Reply((b'{"error":"model \'x\' not found"}',), "404 Not Found"))
    with pytest.raises(ModelNotFoundError) as failed:
        await answer(ollama)
    assert failed.value.data["detail"] == "Ollama returned 404: Not Found — model 'x' not found"


async def test_an_answer_that_stops_before_its_end_is_an_error(
    server: RawServer, ollama: OllamaProvider
) -> None:
    server.on(CHAT, Reply((b'{"message":{"content":"Ou"}}\n',)))
    assert await failure(ollama) == "Ollama stopped in the middle of its answer"


async def test_a_connection_that_breaks_is_an_error(
    server: RawServer, ollama: OllamaProvider
) -> None:
    server.on(CHAT, Reply((b'{"message":{"content":"Ou"}}\n',), cut=True))
    assert await failure(ollama) == "Ollama stopped in the middle of its answer"


async def test_half_a_line_at_the_end_is_an_error(
    server: RawServer, ollama: OllamaProvider
) -> None:
    server.on(CHAT, Reply((b'{"message":{"content":"Ou',)))
    with pytest.raises(OddAnswerError):
        await answer(ollama)


async def test_a_model_that_is_loading_is_waited_for(
    server: RawServer, ollama: OllamaProvider
) -> None:
    server.on(CHAT, Reply((), "503 Service Unavailable"), OK)
    assert await answer(ollama) == "Oui."
    assert len(server.requests) == 2


async def test_a_model_that_never_loads_is_given_up_at_the_timeout(server: RawServer) -> None:
    server.on(CHAT, Reply((b'{"error":"loading"}',), "503 Service Unavailable"))
    ollama = OllamaProvider(CallSlots(1, 1), server.url, timeout_s=1)
    assert await failure(ollama) == "Ollama returned 503: Service Unavailable — loading"
    assert 2 <= len(server.requests) <= 3
    await ollama.aclose()


async def test_silence_ends_at_the_timeout_and_the_call_is_dropped(server: RawServer) -> None:
    server.on(CHAT, Reply((b'{"message":{"content":"Ou"}}\n',), hang=True))
    ollama = OllamaProvider(CallSlots(1, 1), server.url, timeout_s=0.2)
    assert await failure(ollama) == "Ollama took too long to answer"
    await server.until(1)
    await ollama.aclose()


async def test_the_timeout_begins_when_the_call_has_its_place(server: RawServer) -> None:
    slots = CallSlots(1, 1)
    ollama = OllamaProvider(slots, server.url, timeout_s=1)
    server.on(CHAT, OK)
    async with slots.hold("#other"):
        waiting = asyncio.create_task(answer(ollama))
        await asyncio.sleep(1.1)
        assert not waiting.done()
    assert await waiting == "Oui."
    await ollama.aclose()


async def test_no_more_calls_than_slots_reach_the_server(server: RawServer) -> None:
    server.on(CHAT, Reply((b'{"message":{"content":"Ou"}}\n',), hang=True))
    ollama = OllamaProvider(CallSlots(3, 8), server.url, timeout_s=30)
    calls = [asyncio.create_task(answer(ollama)) for _ in range(5)]
    async with asyncio.timeout(30):
        while server.open_calls < 3:  # noqa: ASYNC110 - no event tells
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    assert len(server.requests) == 3
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    await ollama.aclose()


async def test_without_show_a_models_family_and_size_tell_what_it_can(
    server: RawServer, ollama: OllamaProvider
) -> None:
    rows = [
        {"name": "qwen3:8b", "size": 5, "details": {"family": "qwen3", "parameter_size": "8.2B"}},
        {"name": "nomic-embed-text:latest", "details": {"families": ["nomic-bert"]}},
        {"name": "tiny", "details": {"parameter_size": "494.03M"}},
        {"name": "odd", "details": {"parameter_size": "huge"}},
        {"name": "local/qwen2.5-coder-0.5b", "details": {"parameter_size": "cloud"}},
    ]
    server.on("GET /api/tags", Reply((json.dumps({"models": rows}).encode(),)))
    qwen, nomic, tiny, odd, named = await ollama.models()
    assert (qwen.parameters, qwen.is_small, qwen.loaded) == (8_200_000_000, False, False)
    assert nomic.capabilities == {Capability.EMBED}
    assert (tiny.parameters, tiny.is_small) == (494_030_000, True)
    assert odd.parameters is None
    assert (named.parameters, named.is_small) == (500_000_000, True)


async def test_show_tells_more_and_is_asked_once_for_each_version(
    server: RawServer, ollama: OllamaProvider
) -> None:
    server.on("GET /api/tags", Reply((b'{"models":[{"name":"m","digest":"a"}]}',)))
    facts = {"general.parameter_count": 7, "qwen3.context_length": 40960}
    shown = {"capabilities": ["completion", "thinking", "new"], "model_info": facts}
    server.on("POST /api/show", Reply((json.dumps(shown).encode(),)))
    (info,) = await ollama.models()
    assert info.capabilities == {Capability.CHAT, Capability.THINKING}
    assert (info.parameters, info.context_tokens) == (7, 40960)
    await ollama.models()
    assert [route for route, _ in server.requests].count("POST /api/show") == 1


async def test_a_server_without_a_version_route_is_healthy(ollama: OllamaProvider) -> None:
    assert (await ollama.health()).ok


async def test_sizes_beyond_belief_are_unknown(server: RawServer, ollama: OllamaProvider) -> None:
    row = {"name": "m", "size": -1, "details": {"parameter_size": "1e999B"}}
    server.on("GET /api/tags", Reply((json.dumps({"models": [row]}).encode(),)))
    (found,) = await ollama.models()
    assert (found.size_bytes, found.parameters) == (None, None)


async def test_answers_nested_too_deep_are_no_fault_of_ours(
    server: RawServer, ollama: OllamaProvider
) -> None:
    for route in ("GET /api/tags", "GET /api/version", CHAT):
        server.on(route, Reply((b'{"x":' + b"[" * 100_000,)))
    assert not (await ollama.health()).ok
    with pytest.raises(OddAnswerError):
        await ollama.models()
    with pytest.raises(OddAnswerError):
        await answer(ollama)


async def test_a_server_that_does_not_speak_ollama_is_an_error(
    server: RawServer, ollama: OllamaProvider
) -> None:
    server.on("GET /api/tags", Reply((b"<html>",)))
    with pytest.raises(OddAnswerError) as failed:
        await ollama.models()
    assert str(failed.value.data["detail"]).startswith("/api/tags: ")


async def test_a_pull_tells_how_far_it_is(server: RawServer, ollama: OllamaProvider) -> None:
    lines = b'{"status":"pulling","total":9,"completed":3}\n{"status":"success"}\n'
    server.on("POST /api/pull", Reply((lines,)))
    progress = [each async for each in ollama.pull("m")]
    assert progress == [PullProgress("pulling", 3, 9), PullProgress("success")]


@pytest.mark.parametrize("lines", [b'{"error":"no such model"}\n', b'{"status":"pulling"}\n'])
async def test_a_pull_that_fails_is_an_error(
    server: RawServer, ollama: OllamaProvider, lines: bytes
) -> None:
    server.on("POST /api/pull", Reply((lines,)))
    with pytest.raises(UpstreamError):
        _ = [each async for each in ollama.pull("m")]


async def test_too_few_vectors_are_an_error(server: RawServer, ollama: OllamaProvider) -> None:
    server.on("POST /api/embed", Reply((b'{"embeddings":[[1.0]]}',)))
    with pytest.raises(UpstreamError):
        await ollama.embed("m", ["a", "b"])


async def test_the_simulator_is_understood() -> None:
    async with running() as url:
        ollama = OllamaProvider(CallSlots(3, 8), url, timeout_s=30)
        (first, *_) = models = await ollama.models()
        chat = next(info for info in models if Capability.CHAT in info.capabilities)
        assert first.size_bytes
        assert await answer(ollama, ChatRequest(chat.id, ASK.messages))
        assert (await ollama.health()).ok
        await ollama.aclose()


async def test_a_model_that_refuses_tools_is_asked_in_words_alone(
    server: RawServer, ollama: OllamaProvider
) -> None:
    refused = Reply((b'{"error":"m does not support tools"}',), "400 Bad Request")
    server.on(CHAT, refused, OK)
    request = replace(ASK, tools=(ToolSpec("web_search", "Cherche.", "{}"),))
    assert await answer(ollama, request) == "Oui."
    assert await answer(ollama, request) == "Oui."
    assert ["tools" in json.loads(body) for _, body in server.requests] == [True, False, False]


async def test_questions_and_passages_are_marked_for_nomic(
    server: RawServer, ollama: OllamaProvider
) -> None:
    server.on("POST /api/embed", Reply((b'{"embeddings":[[1.0]]}',)))
    await ollama.embed("nomic-embed-text", ["x"], "question")
    await ollama.embed("nomic-embed-text", ["x"])
    inputs = [json.loads(body)["input"] for _, body in server.requests]
    assert inputs == [["search_query: x"], ["search_document: x"]]


def test_pictures_and_tools_need_room_in_the_context():
    shown = ChatMessage("user", "", (ImageInput(b"", "image/png"),) * 2)
    assert context_tokens(ChatRequest("m", (shown,))) == 6144
    tool = ToolSpec("t", "x" * 8192, "{}")
    assert context_tokens(ChatRequest("m", (), tools=(tool,))) == 6144


async def test_arguments_that_are_no_object_go_back_as_an_empty_one(
    server: RawServer, ollama: OllamaProvider
) -> None:
    server.on(CHAT, OK)
    call = ToolCall("", "web_search", '{"query": ')
    request = replace(ASK, messages=(ChatMessage("assistant", "", tool_calls=(call,)),))
    await answer(ollama, request)
    ((_, body),) = server.requests
    (message,) = json.loads(body)["messages"]
    function = {"name": "web_search", "arguments": {}}
    assert message["tool_calls"] == [{"type": "function", "function": function}]


async def test_the_simulator_asks_for_a_tool_and_answers_with_what_it_found() -> None:
    script = '[[answer]]\ntool = { name = "web_search", arguments = { query = "x" } }\ntext = "Vu."'
    tools = (ToolSpec("web_search", "Cherche.", "{}"),)
    async with running(script) as url:
        ollama = OllamaProvider(CallSlots(1, 1), url, timeout_s=30)
        events = [each async for each in ollama.stream(replace(ASK, tools=tools))]
        (call,) = [each.call for each in events if isinstance(each, ToolCalled)]
        told = (
            *ASK.messages,
            ChatMessage("assistant", "", tool_calls=(call,)),
            ChatMessage("tool", "rien", tool_call=call),
        )
        assert (call.name, json.loads(call.arguments)) == ("web_search", {"query": "x"})
        assert await answer(ollama, replace(ASK, messages=told, tools=tools)) == "Vu."
        await ollama.aclose()
