"""Calls to a simulated Ollama, and what came of them."""

import asyncio
import json
from typing import Any

import httpx2

FAST = "tokens_per_s = 100000\nfirst_token_delay_s = 0\n"
ASK = {"model": "qwen3:8b", "messages": [{"role": "user", "content": "Salut"}]}


def lines(response: httpx2.Response) -> list[dict[str, Any]]:
    return [json.loads(line) for line in response.content.split(b"\n") if line]


async def told(client: httpx2.AsyncClient) -> dict[str, Any]:
    answer: dict[str, Any] = (await client.get("/sim/requests")).json()
    return answer


async def when(client: httpx2.AsyncClient, key: str, value: int) -> dict[str, Any]:
    deadline = asyncio.get_running_loop().time() + 30
    while (ledger := await told(client))[key] != value:
        assert asyncio.get_running_loop().time() < deadline, ledger
    return ledger


async def names(client: httpx2.AsyncClient, path: str) -> list[str]:
    return [model["name"] for model in (await client.get(path)).json()["models"]]


async def content(client: httpx2.AsyncClient, **ask: object) -> str:
    answer = await client.post("/api/chat", json=ASK | {"stream": False} | ask)
    text: str = answer.json()["message"]["content"]
    return text


async def writes(url: str) -> list[bytes]:
    """Return the chunks of the body exactly as they were sent."""
    reader, writer = await asyncio.open_connection(*url.removeprefix("http://").split(":"))
    body = json.dumps(ASK).encode()
    writer.write(b"POST /api/chat HTTP/1.1\r\nHost: sim\r\nContent-Length: %d\r\n\r\n" % len(body))
    writer.write(body)
    await reader.readuntil(b"\r\n\r\n")
    chunks = []
    while size := int(await reader.readline(), 16):
        chunks.append(await reader.readexactly(size))
        await reader.readline()
    writer.close()
    await writer.wait_closed()
    return chunks
