import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from tests.support.raw_http import RawServer, Reply, raw_server

from palabre.adapters.models.openai_compatible import OpenAICompatibleProvider
from palabre.core.models.errors import (
    CutAnswerError,
    OddAnswerError,
    PullUnsupportedError,
    reason_of,
)
from palabre.core.models.model import (
    AnswerEnded,
    AnswerGrew,
    Capability,
    ChatMessage,
    ChatRequest,
    ThoughtGrew,
    ToolCall,
    ToolSpec,
)
from palabre.core.models.registry import ModelRegistry
from palabre.core.models.slots import CallSlots
from palabre.kernel.errors import UpstreamError
from palabre.testing.clock import FrozenClock
from palabre.texts import say

ASK = ChatRequest("m", (ChatMessage("user", "Bonjour"),))
CHAT = "POST /v1/chat/completions"


def chunks(*data: object) -> Reply:
    return Reply(tuple(f"data: {json.dumps(each)}\n\n".encode() for each in data))


def delta(finish: str | None = None, **fields: str) -> dict[str, object]:
    return {"choices": [{"delta": fields, "finish_reason": finish}]}


@pytest.fixture
async def server() -> AsyncIterator[RawServer]:
    async with raw_server() as made:
        yield made


@pytest.fixture
async def vllm(server: RawServer) -> AsyncIterator[OpenAICompatibleProvider]:
    provider = OpenAICompatibleProvider(
        "vLLM", f"{server.url}/v1", "", slots=CallSlots(1, 1), timeout_s=30
    )
    yield provider
    await provider.aclose()


async def failure(vllm: OpenAICompatibleProvider) -> UpstreamError:
    with pytest.raises(UpstreamError) as failed:
        _ = [event async for event in vllm.stream(ASK)]
    return failed.value


async def test_a_call_sends_what_was_asked(server: RawServer) -> None:
    server.on(CHAT, chunks(delta("stop")))
    provider = OpenAICompatibleProvider(
        "x", f"{server.url}/v1", "key", slots=CallSlots(1, 1), timeout_s=30
    )
    request = ChatRequest("m", ASK.messages, max_tokens=9, temperature=0.2)
    _ = [event async for event in provider.stream(request)]
    body = json.loads(server.requests[0][1])
    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Bonjour"}],
        "max_tokens": 9,
        "temperature": 0.2,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert b"authorization: bearer key" in server.headers[0].lower()
    await provider.aclose()


async def test_usage_that_follows_the_end_is_counted(
    server: RawServer, vllm: OpenAICompatibleProvider
) -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 6}}
    server.on(CHAT, chunks(delta(content="Oui"), delta("length"), usage))
    events = [event async for event in vllm.stream(ASK)]
    assert events[1:] == [AnswerGrew("Oui"), AnswerEnded("length", 5, 6)]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_has_two_names(
    server: RawServer, vllm: OpenAICompatibleProvider, field: str
) -> None:
    server.on(CHAT, chunks(delta(**{field: "Hm."}), delta("stop")))
    assert ThoughtGrew("Hm.") in [event async for event in vllm.stream(ASK)]


async def test_a_stream_without_an_end_is_an_error(
    server: RawServer, vllm: OpenAICompatibleProvider
) -> None:
    server.on(CHAT, chunks(delta(content="Ou")))
    assert isinstance(await failure(vllm), CutAnswerError)


async def test_a_refusal_is_told_by_status_reason_and_the_servers_words(
    server: RawServer, vllm: OpenAICompatibleProvider
) -> None:
    body = b'{"error":{"message":"out of memory"}}'
    server.on(CHAT, Reply((body,), "500 Internal Server Error"))
    told = say(reason_of(await failure(vllm)))
    assert told == "vLLM returned 500: Internal Server Error — out of memory"


async def test_a_model_that_is_loading_is_waited_for(
    server: RawServer, vllm: OpenAICompatibleProvider
) -> None:
    loading = Reply((b'{"error":{"message":"Loading model"}}',), "503 Service Unavailable")
    server.on(CHAT, loading, chunks(delta(content="Oui"), delta("stop")))
    assert AnswerGrew("Oui") in [event async for event in vllm.stream(ASK)]
    assert len(server.requests) == 2


async def test_what_servers_add_to_a_models_name_is_read(
    server: RawServer, vllm: OpenAICompatibleProvider
) -> None:
    rows = [
        {"id": "llama", "meta": {"n_params": 5, "n_ctx_train": 6, "size": 7}},
        {"id": "big", "max_model_len": 8},
        {"id": "bge-m3"},
    ]
    server.on("GET /v1/models", Reply((json.dumps({"data": rows}).encode(),)))
    llama, big, bge = await vllm.models()
    assert (llama.parameters, llama.context_tokens, llama.size_bytes) == (5, 6, 7)
    assert big.context_tokens == 8
    assert bge.capabilities == {Capability.EMBED}


@pytest.mark.parametrize(
    "body",
    [b'{"data":' + b"[" * 100_000, b"<html>", b"[]", b'{"data":null}', b'{"data":[{}]}'],
    ids=("deep", "page", "list", "null", "nameless"),
)
async def test_a_list_of_models_that_is_none_is_an_odd_answer(
    server: RawServer, vllm: OpenAICompatibleProvider, body: bytes
) -> None:
    server.on("GET /v1/models", Reply((body,)))
    with pytest.raises(OddAnswerError):
        await vllm.models()


async def test_vectors_that_are_none_are_an_odd_answer(
    server: RawServer, vllm: OpenAICompatibleProvider
) -> None:
    server.on("POST /v1/embeddings", Reply((b'{"data":[{"index":0,"embedding":null}]}',)))
    with pytest.raises(OddAnswerError):
        await vllm.embed("bge-m3", ["a"])


async def test_weights_cannot_be_fetched_there(vllm: OpenAICompatibleProvider) -> None:
    registry = ModelRegistry([vllm], default_model="m", clock=FrozenClock())
    with pytest.raises(PullUnsupportedError) as refused:
        _ = [each async for each in registry.pull("vLLM", "m")]
    assert refused.value.data == {"service": "vLLM", "model": "m"}


@pytest.mark.parametrize("words", ["tools are not supported", "response_format: unknown type"])
async def test_what_a_server_refuses_besides_words_is_left_out_from_then_on(
    server: RawServer, vllm: OpenAICompatibleProvider, words: str
) -> None:
    refused = Reply((json.dumps({"error": {"message": words}}).encode(),), "400 Bad Request")
    server.on(CHAT, refused, chunks(delta(content="Oui"), delta("stop")))
    request = replace(ASK, tools=(ToolSpec("t", "x", "{}"),), answer_schema="{}")
    for _ in range(2):
        assert AnswerGrew("Oui") in [event async for event in vllm.stream(request)]
    bodies = [json.loads(body) for _, body in server.requests]
    assert ["tools" in body for body in bodies] == [True, False, False]
    assert ["response_format" in body for body in bodies] == [True, False, False]


async def test_a_past_call_always_has_an_id_and_arguments_that_are_an_object(
    server: RawServer, vllm: OpenAICompatibleProvider
) -> None:
    server.on(CHAT, chunks(delta("stop")))
    call = ToolCall("", "web_search", "[oops")
    messages = (
        ChatMessage("assistant", "", tool_calls=(call,)),
        ChatMessage("tool", "rien", tool_call=call),
    )
    _ = [event async for event in vllm.stream(replace(ASK, messages=messages))]
    asked, found = json.loads(server.requests[0][1])["messages"]
    assert asked["tool_calls"][0]["id"] == found["tool_call_id"]
    assert asked["tool_calls"][0]["function"]["arguments"] == "{}"


async def test_a_models_name_tells_whether_it_sees(
    server: RawServer, vllm: OpenAICompatibleProvider
) -> None:
    rows = [{"id": "Qwen2.5-VL-7B"}, {"id": "mistral"}]
    server.on("GET /v1/models", Reply((json.dumps({"data": rows}).encode(),)))
    sees, blind = await vllm.models()
    assert Capability.VISION in sees.capabilities
    assert Capability.VISION not in blind.capabilities
