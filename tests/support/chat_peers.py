"""The same scripted model behind each provider: what the contract of `ModelProvider` needs."""

import asyncio
import json
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.support.raw_http import RawServer, Reply, raw_server, split_every

from palabre.adapters.models.ollama import OllamaProvider
from palabre.adapters.models.openai_compatible import OpenAICompatibleProvider
from palabre.core.models.model import ToolCall
from palabre.core.models.ports import ModelProvider
from palabre.core.models.slots import CallSlots
from palabre.kernel.errors import UpstreamError
from palabre.testing.models import Answer, ScriptedProvider

MODEL = "parrot"
NOWHERE = "http://127.0.0.1:9"


@dataclass(frozen=True)
class Heard:
    """A prompt as the model has it.

    Attributes:
        messages: (role, words) of each.
        images: Bytes of all pictures.
        tools: (name, parameters) of each.
        past_calls: Name and arguments of each call that the prompt tells of.
        answered: What ties each result to its call.
    """

    messages: list[tuple[str, str]]
    images: list[bytes] = field(default_factory=list)
    tools: list[tuple[str, object]] = field(default_factory=list)
    past_calls: list[tuple[str, object]] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    schema: object = None


class Peer(Protocol):
    """A provider, and the script of the model behind it."""

    provider: ModelProvider

    def answers(self, *pieces: str, thoughts: tuple[str, ...] = ()) -> None: ...

    def calls(self, *calls: ToolCall) -> None: ...

    def heard(self) -> Heard:
        """Return what the model was told in the last call, whatever the dialect."""
        ...

    def read(self) -> list[str]:
        """Return the texts that were last to become vectors, as the model got them."""
        ...

    def fails_after(self, *pieces: str) -> None: ...

    def hangs_after(self, *pieces: str) -> None: ...

    def lacks_the_model(self) -> None: ...

    def goes_down(self) -> None: ...

    async def until_left(self) -> None:
        """Wait until the server saw that a hanging call was given up."""
        ...


class ScriptedPeer:
    def __init__(self) -> None:
        self.provider = self._scripted = ScriptedProvider(name="scripted", models=[MODEL])

    def answers(self, *pieces: str, thoughts: tuple[str, ...] = ()) -> None:
        self._scripted.script(Answer(pieces, thoughts))

    def calls(self, *calls: ToolCall) -> None:
        self._scripted.script(Answer((), calls=calls))

    def heard(self) -> Heard:
        request = self._scripted.requests[-1]
        messages = request.messages
        return Heard(
            [(each.role, each.content) for each in messages],
            [image.content for each in messages for image in each.images],
            [(tool.name, json.loads(tool.parameters)) for tool in request.tools],
            [(c.name, json.loads(c.arguments)) for each in messages for c in each.tool_calls],
            [each.tool_call.name for each in messages if each.tool_call],
            request.answer_schema and json.loads(request.answer_schema),
        )

    def read(self) -> list[str]:
        return [text for text, _ in self._scripted.embedded]

    def fails_after(self, *pieces: str) -> None:
        self._scripted.script(Answer(pieces, error=UpstreamError(detail="out of memory")))

    def hangs_after(self, *pieces: str) -> None:
        self._scripted.script(Answer(pieces, delay_s=3600))

    def lacks_the_model(self) -> None:
        self._scripted.installed = []

    def goes_down(self) -> None:
        self._scripted.down = "connection refused"

    async def until_left(self) -> None:
        async with asyncio.timeout(30):
            while not self._scripted.closed_early:  # noqa: ASYNC110 - it has no event to wait for
                await asyncio.sleep(0)


class OllamaPeer:
    def __init__(self, server: RawServer, split: int) -> None:
        self._server, self._split = server, split
        self.provider: ModelProvider = OllamaProvider(CallSlots(1, 8), server.url, timeout_s=30)
        server.on("GET /api/version", _json({"version": "0.12.0"}))
        server.on("GET /api/tags", _json({"models": [{"name": f"{MODEL}", "size": 5}]}))
        server.on("GET /api/ps", _json({"models": [{"name": MODEL}]}))
        server.on("POST /api/show", _json({"capabilities": ["completion", "tools"]}))
        server.on("POST /api/embed", _json({"embeddings": [[1.0, 0.0], [0.5, 0.5]]}))

    def answers(self, *pieces: str, thoughts: tuple[str, ...] = ()) -> None:
        lines = [{"message": {"content": "", "thinking": each}} for each in thoughts]
        self._chat([*lines, *self._grown(pieces), {"done": True, "done_reason": "stop"}])

    def calls(self, *calls: ToolCall) -> None:
        rows = [
            {"function": {"name": call.name, "arguments": json.loads(call.arguments)}}
            | ({"id": call.id} if call.id else {})
            for call in calls
        ]
        said = {"role": "assistant", "content": "", "tool_calls": rows}
        self._chat([{"message": said}, {"done": True, "done_reason": "stop"}])

    def heard(self) -> Heard:
        body = _last(self._server, "POST /api/chat")
        messages = body["messages"]
        calls = [call["function"] for each in messages for call in each.get("tool_calls", ())]
        return Heard(
            [(each["role"], each["content"]) for each in messages],
            [b64decode(image) for each in messages for image in each.get("images", ())],
            _tools(body),
            [(call["name"], call["arguments"]) for call in calls],
            [each["tool_name"] for each in messages if each["role"] == "tool"],
            body.get("format"),
        )

    def read(self) -> list[str]:
        return list(_last(self._server, "POST /api/embed")["input"])

    def fails_after(self, *pieces: str) -> None:
        self._chat([*self._grown(pieces), {"error": "out of memory"}])

    def hangs_after(self, *pieces: str) -> None:
        self._chat(self._grown(pieces), hang=True)

    def lacks_the_model(self) -> None:
        error = _json({"error": f"model '{MODEL}' not found"}, status="404 Not Found")
        self._server.on("POST /api/chat", error)
        self._server.on("POST /api/embed", error)

    def goes_down(self) -> None:
        self.provider = OllamaProvider(CallSlots(1, 8), NOWHERE, timeout_s=30)

    async def until_left(self) -> None:
        await self._server.until(1)

    def _grown(self, pieces: tuple[str, ...]) -> list[dict[str, object]]:
        return [{"message": {"role": "assistant", "content": each}} for each in pieces]

    def _chat(self, lines: list[dict[str, object]], *, hang: bool = False) -> None:
        data = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)
        self._server.on("POST /api/chat", Reply(split_every(data, self._split), hang=hang))


class OpenAIPeer:
    def __init__(self, server: RawServer, split: int) -> None:
        self._server, self._split = server, split
        self.provider: ModelProvider = self._at(server.url)
        server.on("GET /v1/models", _json({"object": "list", "data": [{"id": MODEL}]}))
        rows = [{"index": 1, "embedding": [0.5, 0.5]}, {"index": 0, "embedding": [1.0, 0.0]}]
        server.on("POST /v1/embeddings", _json({"object": "list", "data": rows}))

    def answers(self, *pieces: str, thoughts: tuple[str, ...] = ()) -> None:
        chunks = [self._delta(reasoning_content=each) for each in thoughts]
        self._chat([*chunks, *self._grown(pieces), self._end(), "[DONE]"])

    def calls(self, *calls: ToolCall) -> None:
        """Send the names first, then the arguments of all in turn, a few characters each."""
        begun = [
            {"index": at, "id": call.id or None, "function": {"name": call.name, "arguments": ""}}
            for at, call in enumerate(calls)
        ]
        grown = [
            {"index": at, "function": {"arguments": call.arguments[start : start + 3]}}
            for start in range(0, max(len(call.arguments) for call in calls), 3)
            for at, call in enumerate(calls)
        ]
        chunks = [self._delta(tool_calls=[part]) for part in (*begun, *grown)]
        self._chat([*chunks, self._end("tool_calls"), "[DONE]"])

    def heard(self) -> Heard:
        body = _last(self._server, "POST /v1/chat/completions")
        messages = body["messages"]
        parts = [part for each in messages for part in _parts(each["content"])]
        calls = [call for each in messages for call in each.get("tool_calls", ())]
        names = {call["id"]: call["function"]["name"] for call in calls}
        return Heard(
            [(each["role"], _words(each["content"])) for each in messages],
            [_from_data_url(part["image_url"]["url"]) for part in parts if "image_url" in part],
            _tools(body),
            [(c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls],
            [names[each["tool_call_id"]] for each in messages if each["role"] == "tool"],
            body.get("response_format", {}).get("json_schema", {}).get("schema"),
        )

    def read(self) -> list[str]:
        return list(_last(self._server, "POST /v1/embeddings")["input"])

    def fails_after(self, *pieces: str) -> None:
        self._chat([*self._grown(pieces), {"error": {"message": "out of memory"}}])

    def hangs_after(self, *pieces: str) -> None:
        self._chat(self._grown(pieces), hang=True)

    def lacks_the_model(self) -> None:
        error = _json({"error": {"message": "no such model"}}, status="404 Not Found")
        self._server.on("POST /v1/chat/completions", error)
        self._server.on("POST /v1/embeddings", error)

    def goes_down(self) -> None:
        self.provider = self._at(NOWHERE)

    async def until_left(self) -> None:
        await self._server.until(1)

    def _at(self, url: str) -> OpenAICompatibleProvider:
        return OpenAICompatibleProvider(
            "vllm", f"{url}/v1", "secret", slots=CallSlots(1, 8), timeout_s=30
        )

    def _grown(self, pieces: tuple[str, ...]) -> list[object]:
        return [self._delta(content=each) for each in pieces]

    def _delta(self, **delta: object) -> object:
        return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}

    def _end(self, reason: str = "stop") -> object:
        return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}

    def _chat(self, chunks: list[object], *, hang: bool = False) -> None:
        texts = [
            each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)
            for each in chunks
        ]
        data = "".join(f"data: {each}\n\n" for each in texts).encode()
        reply = Reply(split_every(data, self._split), hang=hang)
        self._server.on("POST /v1/chat/completions", reply)


def _json(data: object, status: str = "200 OK") -> Reply:
    return Reply((json.dumps(data).encode(),), status)


def _last(server: RawServer, route: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(
        [body for asked, body in server.requests if asked == route][-1]
    )
    return body


def _tools(body: dict[str, Any]) -> list[tuple[str, object]]:
    functions = [tool["function"] for tool in body.get("tools", ())]
    return [(each["name"], each["parameters"]) for each in functions]


def _parts(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"text": content}] if isinstance(content, str) else content


def _words(content: str | list[dict[str, Any]]) -> str:
    return "".join(part.get("text", "") for part in _parts(content))


def _from_data_url(url: str) -> bytes:
    head, _, data = url.partition(",")
    assert head == "data:image/png;base64"
    return b64decode(data)


@asynccontextmanager
async def peer(kind: str) -> AsyncIterator[Peer]:
    name, _, split = kind.partition(" split every ")
    async with raw_server() as server:
        made: Peer
        match name:
            case "scripted":
                made = ScriptedPeer()
            case "ollama":
                made = OllamaPeer(server, int(split))
            case _:
                made = OpenAIPeer(server, int(split))
        first = made.provider
        try:
            yield made
        finally:
            await first.aclose()
            await made.provider.aclose()
