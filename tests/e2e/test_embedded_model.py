"""The tiny model, fetched for real, really speaking French."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import httpx2
import pytest

from palabre.adapters.models.embedded import EmbeddedProvider
from palabre.adapters.models.llama_child import MODULE, LlamaChild, LlamaOptions
from palabre.app.clock import SystemClock
from palabre.app.models import build_registry, first_weights
from palabre.app.personas import library_for
from palabre.app.settings import Settings, load_settings
from palabre.core.chat.prompt import SMALL_AVOIDED, write_prompt
from palabre.core.models.model import (
    AnswerEnded,
    AnswerGrew,
    AnswerStarted,
    ChatMessage,
    ChatRequest,
)
from palabre.core.models.registry import ModelRegistry

pytestmark = [pytest.mark.e2e, pytest.mark.model, pytest.mark.timeout(600)]

SYSTEM = ChatMessage("system", "Tu réponds en français, en une phrase courte.")
WANTED = {
    "models.provider": "embedded",
    "models.embedded.tier": "tiny",
    "models.embedded.threads": 1,
    "models.embedded.context_tokens": 2048,
}
PARENT = """
import asyncio, sys
from pathlib import Path
from palabre.adapters.models.llama_child import LlamaChild, LlamaOptions

async def main():
    deadline_s = asyncio.get_running_loop().time() + 120
    await LlamaChild.start(Path(sys.argv[1]), "m", LlamaOptions(), deadline_s)
    print("started", flush=True)
    await asyncio.sleep(3600)

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def settings() -> Settings:
    """Settings whose cache is the user's own, or where PALABRE_CACHE_DIR says."""
    return load_settings(cli=WANTED).settings


@pytest.fixture
async def registry(settings: Settings) -> AsyncIterator[ModelRegistry]:
    made = build_registry(settings, SystemClock())
    _ = [each async for each in first_weights(made)]
    yield made
    await made.aclose()


async def ask(registry: ModelRegistry, question: str, max_tokens: int = 24) -> str:
    resolved = await registry.resolve("qwen3:8b")
    request = ChatRequest("", (SYSTEM, ChatMessage("user", question)), max_tokens, 0.0)
    first, *grown, last = [event async for event in registry.stream(resolved, request)]
    assert first == AnswerStarted()
    assert isinstance(last, AnswerEnded)
    assert last.answer_tokens
    assert len(grown) > 1
    return "".join(event.text for event in grown if isinstance(event, AnswerGrew))


async def test_the_tiny_model_answers_in_french_token_by_token(registry: ModelRegistry) -> None:
    assert "Paris" in await ask(registry, "Quelle est la capitale de la France ?")


async def test_the_tiny_model_keeps_to_a_schema(registry: ModelRegistry) -> None:
    resolved = await registry.resolve("qwen3:8b")
    facts = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}
    schema = {"type": "object", "properties": {"facts": facts}, "required": ["facts"]}
    words = "Que sait-on de Léa ? « Je m'appelle Léa, je joue du violon à Brest. »"
    request = ChatRequest(
        "", (SYSTEM, ChatMessage("user", words)), 120, 0.0, answer_schema=json.dumps(schema)
    )
    told = json.loads(await registry.answer(resolved, request, max_chars=4000, timeout_s=60))
    assert told.keys() == {"facts"}
    assert all(isinstance(fact, str) for fact in told["facts"])
    assert 1 <= len(told["facts"]) <= 3


async def test_a_persona_does_not_speak_as_an_assistant(
    registry: ModelRegistry, settings: Settings
) -> None:
    batty = (await library_for(settings).load()).named("Batty")
    assert batty
    for question in ("es-tu une intelligence artificielle ?", "comment peux-tu m'aider ?"):
        resolved = await registry.resolve("qwen3:8b")
        messages = write_prompt(batty, question, info=resolved.info)
        request = ChatRequest(
            resolved.info.id, messages, max_tokens=40, temperature=0.6, avoid=SMALL_AVOIDED
        )
        async with aclosing(registry.stream(resolved, request)) as answer:
            words = "".join([e.text async for e in answer if isinstance(e, AnswerGrew)])
        assert words.strip()
        assert "assistant" not in words.casefold()
        assert "prend la parole" not in words


async def test_it_answers_again_after_an_answer_was_cut_and_after_its_process_was_killed(
    registry: ModelRegistry,
) -> None:
    resolved = await registry.resolve("qwen3:8b")
    request = ChatRequest("", (ChatMessage("user", "Raconte une longue histoire."),), 1000)
    async with aclosing(registry.stream(resolved, request)) as answer:
        async for event in answer:
            if isinstance(event, AnswerGrew):
                break
    async with asyncio.timeout(60):
        assert "Paris" in await ask(registry, "Quelle est la capitale de la France ?")
    (killed,) = llama_servers_of(os.getpid())
    os.kill(killed, signal.SIGKILL)
    await until_gone(killed)
    assert "Rome" in await ask(registry, "Quelle est la capitale de l'Italie ?")
    assert killed not in llama_servers_of(os.getpid())


async def test_the_server_wants_its_key(registry: ModelRegistry) -> None:
    deadline_s = asyncio.get_running_loop().time() + 120
    child = await LlamaChild.start(weights_of(registry), "m", LlamaOptions(), deadline_s)
    async with httpx2.AsyncClient(trust_env=False) as stranger:
        response = await stranger.post(f"{child.url}/v1/chat/completions", json={})
    await child.stop()
    assert response.status_code == 401


async def test_the_child_dies_with_its_parent_even_by_sigkill(registry: ModelRegistry) -> None:
    path = weights_of(registry)
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, str(path), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    assert await parent.stdout.readline() == b"started\n"
    (child,) = llama_servers_of(parent.pid)
    parent.kill()
    await parent.wait()
    await until_gone(child)


def weights_of(registry: ModelRegistry) -> Path:
    embedded = registry.providers["embedded"]
    assert isinstance(embedded, EmbeddedProvider)
    return embedded.store.path(embedded.installed()[0])


def llama_servers_of(parent: int) -> list[int]:
    return [
        int(process.name)
        for process in Path("/proc").glob("[0-9]*")
        if is_running(int(process.name))
        and f"{MODULE}\0{parent}\0" in (process / "cmdline").read_text(errors="replace")
    ]


async def until_gone(pid: int) -> None:
    async with asyncio.timeout(30):
        while is_running(pid):  # noqa: ASYNC110 - another process's end tells nobody
            await asyncio.sleep(0.02)


def is_running(pid: int) -> bool:
    """Say whether *pid* runs; one that is dead and not yet collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
