"""Programs use the house by the official MCP client, over HTTP and over pipes."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from tests.support.programs import key_for
from tests.support.rooms import House, house, is_final

from palabre.core.auth.api_keys import Scope
from palabre.testing.models import Answer


@asynccontextmanager
async def connected(place: House, mode: str = "auto") -> AsyncGenerator[Client]:
    headers = {"Authorization": f"Bearer {await key_for(place, Scope.MCP, name=mode)}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport = streamable_http_client(f"{place.http_url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_tools_are_there_for_new_and_old_clients(mode: str) -> None:
    async with house() as place, connected(place, mode) as client:
        listed = (await client.list_tools()).tools
        assert [each.name for each in listed] == ["personas", "chat", "ask", "search", "status"]
        assert [each.name for each in listed if not each.annotations.read_only_hint] == ["chat"]
        told = await client.call_tool("personas")
        nicks = [each["nick"] for each in told.structured_content["personas"]]
        assert nicks == ["Schaeffer", "Batty", "Pharmacius"]
        assert json.loads(told.content[0].text) == told.structured_content


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_what_is_said_by_chat_is_heard_in_the_room_and_answered(mode: str) -> None:
    async with house("Je t'écoute.") as place, connected(place, mode) as client:
        ana = await place.enter("ana")
        told = await client.call_tool(
            "chat", {"message": "@Batty bonjour", "channel": "#general", "nick": "robot"}
        )
        assert told.structured_content == {
            "channel": "#general",
            "nick": "mcp_robot",
            "answers": [{"nick": "Batty", "text": "Je t'écoute."}],
            "notices": [],
            "complete": True,
        }
        frames = await ana.until_text("Je t'écoute.")
        assert {"type": "join", "nick": "mcp_robot", "channel": "#general"}.items() <= next(
            frame for frame in frames if frame["type"] == "join"
        ).items()
        said = next(frame for frame in frames if is_final(frame, "mcp_robot"))
        assert said["text"] == "@Batty bonjour"
        await ana.until(lambda frame: frame["type"] == "part" and frame["nick"] == "mcp_robot")


async def test_another_channel_is_entered_and_the_first_hears_nothing_of_it() -> None:
    async with house("Oui.") as place, connected(place) as client:
        ana = await place.enter("ana")
        await ana.answer("/join #atelier")
        await ana.so_far()
        told = await client.call_tool("chat", {"message": "@Batty ?", "channel": "#atelier"})
        assert told.structured_content["answers"] == [{"nick": "Batty", "text": "Oui."}]
        await ana.until_text("Oui.")


async def test_answers_to_others_are_not_taken_for_its_own() -> None:
    gate = asyncio.Event()
    answers = Answer(("À toi.",), gate=gate), "À elle."
    async with house(*answers) as place, connected(place) as client:
        ana = await place.enter("ana")
        call = asyncio.ensure_future(client.call_tool("chat", {"message": "@Batty a"}))
        await until(lambda: len(place.provider.requests) == 1)
        await ana.say("@Schaeffer b")
        await ana.until_text("À elle.")
        gate.set()
        told = (await call).structured_content
        assert told["answers"] == [{"nick": "Batty", "text": "À toi."}]


async def test_an_answer_that_takes_too_long_goes_on_in_the_room() -> None:
    gate = asyncio.Event()
    async with house(Answer(("Enfin.",), gate=gate)) as place, connected(place) as client:
        ana = await place.enter("ana")
        heard: list[tuple[float, float | None]] = []

        async def progress(done: float, total: float | None, _message: str | None) -> None:
            heard.append((done, total))

        told = await client.call_tool(
            "chat", {"message": "@Batty ?", "timeout_s": 0.3}, progress_callback=progress
        )
        assert (told.structured_content["complete"], told.structured_content["answers"]) == (
            False,
            [],
        )
        assert heard[-1] == (0, 1)
        gate.set()
        await ana.until_text("Enfin.")


async def test_a_persona_that_fails_is_told_as_a_notice() -> None:
    async with house(Answer(())) as place, connected(place) as client:
        told = (await client.call_tool("chat", {"message": "@Batty ?"})).structured_content
        assert told["answers"] == []
        assert any("Batty" in notice for notice in told["notices"])


async def test_a_persona_is_asked_without_the_room() -> None:
    async with house("<think>secret</think>Bien.") as place, connected(place) as client:
        ana = await place.enter("ana")
        told = await client.call_tool("ask", {"persona": "batty", "message": "Ça va ?"})
        assert told.structured_content == {"persona": "batty", "nick": "Batty", "answer": "Bien."}
        assert await ana.so_far() == []


async def test_a_persona_that_answers_nothing_is_told_as_a_mistake() -> None:
    async with house("<think>hm</think>") as place, connected(place) as client:
        told = await client.call_tool("ask", {"persona": "batty", "message": "Ça va ?"})
        assert told.is_error
        assert "Batty" in told.content[0].text


async def test_what_was_said_is_found(tmp_path: Path) -> None:
    async with house("Oui.", data_dir=tmp_path) as place, connected(place) as client:
        (tmp_path / "chat-logs").mkdir(exist_ok=True)
        line = {
            "ts": "2026-03-20T10:00:00.000Z", "channel": "#general", "nick": "lea",
            "type": "message", "text": "Où est le théorbe ?",
        }  # fmt: skip
        (tmp_path / "chat-logs/v2-2026-03-20.jsonl").write_text(json.dumps(line) + "\n")
        found = (await client.call_tool("search", {"query": "theorbe"})).structured_content
        assert [each["text"] for each in found["results"]] == ["Où est le théorbe ?"]
        assert found["complete"]
        elsewhere = {"query": "theorbe", "channel": "#atelier"}
        assert (await client.call_tool("search", elsewhere)).structured_content["results"] == []
        documents = await client.call_tool("search", {"query": "théorbe", "where": "documents"})
        assert documents.structured_content == {"where": "documents", "results": []}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_who_goes_away_leaves_the_room_and_its_place(mode: str) -> None:
    gate = asyncio.Event()
    async with house(Answer(("Enfin.",), gate=gate)) as place:
        ana = await place.enter("ana")
        async with connected(place, mode) as client:
            call = asyncio.ensure_future(client.call_tool("chat", {"message": "@Batty ?"}))
            await until(lambda: len(place.provider.requests) == 1)
            call.cancel()
        await ana.until(lambda frame: frame["type"] == "part" and frame["nick"] == "mcp_guest")
        gate.set()
        await ana.until_text("Enfin.")


async def test_the_house_says_how_it_is() -> None:
    async with house() as place, connected(place) as client:
        await place.enter("ana")
        told = (await client.call_tool("status")).structured_content
        assert (told["people"], told["personas"]) == (1, 3)
        assert told["models"] == ["ollama/qwen3:8b"]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("nothing", {}, "nothing"),
        ("chat", {}, "message"),
        ("chat", {"message": "x" * 8193}, "message"),
        ("chat", {"message": "x", "channel": "general"}, "general"),
        ("chat", {"message": "x", "nick": "a b"}, "a b"),
        ("chat", {"message": "x", "nick": ""}, "nick"),
        ("chat", {"message": "x", "timeout_s": True}, "timeout_s"),
        ("chat", {"message": "x", "unknown": 1}, "unknown"),
        ("ask", {"persona": "nobody", "message": "x"}, "schaeffer"),
        ("search", {"query": "x"}, "query"),
    ],
)
async def test_a_mistake_is_told_as_the_result(tool: str, arguments: dict, told: str) -> None:
    async with house() as place, connected(place) as client:
        result = await client.call_tool(tool, arguments)
        assert result.is_error
        assert told in result.content[0].text
        assert place.provider.requests == []


async def test_nobody_comes_in_without_a_key_of_that_scope() -> None:
    async with house() as place, httpx2.AsyncClient(base_url=place.http_url) as client:
        chat_key = await key_for(place, Scope.CHAT)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        cases = {
            401: {},
            403: {"authorization": f"Bearer {chat_key}"},
        }
        for status, headers in cases.items():
            answer = await client.post("/mcp", json=body, headers=headers)
            assert answer.status_code == status
            assert answer.json()["error"]["message"]
        elsewhere = {"authorization": f"Bearer {chat_key}", "origin": "https://evil.example"}
        assert (await client.post("/mcp", json=body, headers=elsewhere)).status_code == 403
        got = await client.get("/mcp")
        assert (got.status_code, got.headers["allow"]) == (405, "POST")
        assert (await client.post("/mcp/other", json=body)).status_code == 404
        rebound = await client.post("/mcp", json=body, headers={"host": "evil.example"})
        assert rebound.status_code == 400


@pytest.mark.parametrize(
    ("content", "kind", "status", "code"),
    [
        (b"{", "application/json", 400, -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "a\\u0000"}', "application/json", 400, -32700),
        (b'{"x": NaN}', "application/json", 400, -32700),
        (b"{}", "text/plain", 415, -32600),
        (b" " * (1024 * 1024 + 1), "application/json", 413, -32600),
    ],
)
async def test_what_is_no_json_for_it_is_refused_in_the_protocols_shape(
    content: bytes, kind: str, status: int, code: int
) -> None:
    async with house() as place, httpx2.AsyncClient(base_url=place.http_url) as client:
        secret = await key_for(place, Scope.MCP)
        headers = {"authorization": f"Bearer {secret}", "content-type": kind}
        answer = await client.post("/mcp", content=content, headers=headers)
        assert answer.status_code == status
        assert answer.json()["error"]["code"] == code
        assert answer.json()["error"]["message"]


async def test_a_program_uses_the_house_over_pipes(tmp_path: Path) -> None:
    async with house("Bien.") as place:
        secret = await key_for(place, Scope.MCP)
        async with Client(piped(place.http_url, secret, tmp_path)) as client:
            assert len((await client.list_tools()).tools) == 5
            told = await client.call_tool("chat", {"message": "@Batty ça va ?"})
            assert told.structured_content["answers"] == [{"nick": "Batty", "text": "Bien."}]


async def test_over_pipes_an_absent_house_is_told_with_how_to_start_it(tmp_path: Path) -> None:
    async with Client(piped("http://127.0.0.1:9", "pal_x", tmp_path)) as client:
        told = await client.call_tool("status")
        assert told.is_error
        assert "palabre serve" in told.content[0].text


async def test_over_pipes_a_wrong_key_is_told(tmp_path: Path) -> None:
    async with house() as place, Client(piped(place.http_url, "pal_x", tmp_path)) as client:
        told = await client.call_tool("status")
        assert told.is_error
        assert place.http_url in told.content[0].text


def piped(url: str, secret: str, folder: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-c", "from palabre.app.cli.main import main; main()", "mcp", "--url", url],
        env={"PALABRE_API__KEY": secret, "PALABRE_DATA_DIR": str(folder)},
        cwd=folder,
    )


async def until(is_so) -> None:
    async with asyncio.timeout(10):
        while not is_so():  # noqa: ASYNC110 - the fake tells nobody
            await asyncio.sleep(0.01)
