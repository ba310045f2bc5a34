"""Our model providers against servers, and our simulated Ollama against a client, of others.

ollama-proxy-plus and llama.cpp's own server let a real model answer; `ollama` is the client that
Ollama's makers publish.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.support import peers
from tests.support.model_questions import ask, detail, events_of, ollama_at, openai_at, pieces
from tests.support.peers import running
from tests.support.served import PALABRE, served
from websockets.asyncio.client import connect

from palabre.app.settings import load_settings
from palabre.core.models.model import (
    AnswerEnded,
    AnswerGrew,
    Capability,
    ChatMessage,
    ToolCall,
    ToolSpec,
)
from palabre.core.models.ports import Embedder, ModelProvider
from palabre.kernel.errors import UpstreamError

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
needs_peers = pytest.mark.skipif(bool(peers.why_no_peers()), reason=peers.why_no_peers())

SUPPORT = Path(peers.__file__).parent
MODEL = "qwen2.5-coder-0.5b"
NOWHERE = "http://127.0.0.1:9"
CAPITAL = "Quelle est la capitale de la France ?"
PERSON = {
    "type": "object",
    "properties": {
        "prenom": {"type": "string"},
        "ville": {"type": "string"},
        "age": {"type": "integer"},
    },
    "required": ["prenom", "ville", "age"],
}
QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
LONG = "Récite lentement les nombres de un à mille, en lettres."
"""Several hundred tokens, unless somebody stops it."""


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    command = [sys.executable, SUPPORT / "llama_peer.py", peers.tiny_weights(), MODEL]
    with running(command, tmp_path_factory.mktemp("llama")) as peer:
        yield peer.url


@pytest.fixture(scope="module")
def proxy(llama: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An Ollama to its clients, with a model `local/...`, and one `gone/...` that fails."""
    command = [peers.OLLAMA_PROXY, "serve", "--host", "127.0.0.1", "--port", "0"]
    environment = {
        "PROVIDERS_LOCAL_BASE_URL": f"{llama}/v1",
        "PROVIDERS_GONE_BASE_URL": f"{NOWHERE}/v1",
        "EXTRA_MODELS": f"local/{MODEL}",
    }
    with running(command, tmp_path_factory.mktemp("proxy"), environment) as peer:
        yield peer.url


REAL = [pytest.param("ollama-proxy-plus", marks=needs_peers), "llama.cpp"]


@pytest.fixture(params=REAL)
async def real(request: pytest.FixtureRequest) -> AsyncIterator[tuple[ModelProvider, str]]:
    """A provider whose server has a real model, and the name of that."""
    provider: ModelProvider
    if request.param == "llama.cpp":
        provider, model = openai_at(request.getfixturevalue("llama")), MODEL
    else:
        provider, model = ollama_at(request.getfixturevalue("proxy")), f"local/{MODEL}"
    yield provider, model
    await provider.aclose()


@pytest.mark.model
async def test_a_real_server_is_well_and_lists_its_model(real: tuple[ModelProvider, str]) -> None:
    provider, model = real
    assert (await provider.health()).ok
    (info,) = [each for each in await provider.models() if each.id == model]
    assert Capability.CHAT in info.capabilities
    assert info.is_small


@pytest.mark.model
async def test_a_real_model_answers_in_french_piece_by_piece(
    real: tuple[ModelProvider, str],
) -> None:
    provider, model = real
    events = await events_of(provider, ask(model, CAPITAL))
    assert "Paris" in "".join(pieces(events))
    assert len(pieces(events)) > 3
    assert isinstance(events[-1], AnswerEnded)
    assert events[-1].answer_tokens


@pytest.mark.model
async def test_an_answer_that_is_given_up_stops_in_llama_cpp(
    real: tuple[ModelProvider, str], llama: str
) -> None:
    provider, model = real
    before = await metric(llama, "tokens_predicted_total")
    request = ask(model, LONG, 1000)
    async with aclosing(provider.stream(request)) as answer:
        async for event in answer:
            if isinstance(event, AnswerGrew):
                break
        assert await metric(llama, "requests_processing") == 1
    async with asyncio.timeout(30):
        while await metric(llama, "requests_processing"):  # noqa: ASYNC110 - llama.cpp's own
            await asyncio.sleep(0.05)
    assert await metric(llama, "tokens_predicted_total") < before + 50


@pytest.mark.model
async def test_texts_become_vectors_in_a_real_model(real: tuple[ModelProvider, str]) -> None:
    provider, model = real
    assert isinstance(provider, Embedder)
    first, again, other = await provider.embed(model, ["un chat", "un chat", "la mer"])
    assert len(first) == 896
    assert first == pytest.approx(again, abs=1e-3)
    assert first != pytest.approx(other, abs=1e-3)


@pytest.mark.model
async def test_a_real_model_keeps_to_a_schema(real: tuple[ModelProvider, str]) -> None:
    provider, model = real
    words = "Léa a trente ans et vit à Brest. Donne son prénom, sa ville et son âge."
    request = replace(ask(model, words, 80), answer_schema=json.dumps(PERSON))
    told = json.loads("".join(pieces(await events_of(provider, request))))
    assert told.keys() == {"prenom", "ville", "age"}
    assert told["ville"] == "Brest"
    assert isinstance(told["age"], int)


@pytest.mark.model
async def test_a_real_server_takes_tools_their_calls_and_what_they_found(
    real: tuple[ModelProvider, str],
) -> None:
    """The tiny model writes calls as text, if at all: what counts is that no prompt is refused."""
    provider, model = real
    call = ToolCall("call_1", "web_search", '{"query": "météo Brest"}')
    tool = ToolSpec("web_search", "Cherche sur le web.", json.dumps(QUERY))
    messages = (
        ChatMessage("user", "Quel temps fait-il à Brest ?"),
        ChatMessage("assistant", "", tool_calls=(call,)),
        ChatMessage("tool", "Brest : pluie, 12 degrés.", tool_call=call),
    )
    request = replace(ask(model, "", 40), messages=messages, tools=(tool,))
    told = "".join(pieces(await events_of(provider, request)))
    assert "pluie" in told.casefold() or "12" in told


@needs_peers
@pytest.mark.model
async def test_ollamas_dialect_tells_what_is_wrong_in_three_ways(proxy: str) -> None:
    ollama = ollama_at(proxy)
    with pytest.raises(UpstreamError) as refused:
        await events_of(ollama, ask("nobody/x", "Bonjour"))
    assert "Ollama returned 400: Bad Request — Unknown provider prefix" in detail(refused)
    with pytest.raises(UpstreamError) as failed:
        await events_of(ollama, ask("gone/x", "Bonjour"))
    assert detail(failed) == "Connection error."
    with pytest.raises(UpstreamError) as broken:
        await ollama.embed("gone/x", ["Bonjour"])
    assert detail(broken) == "Ollama returned 500: Internal Server Error"
    await ollama.aclose()


@needs_peers
@pytest.mark.model
async def test_a_download_through_the_proxy_ends_with_success(proxy: str) -> None:
    ollama = ollama_at(proxy)
    statuses = [progress.status async for progress in ollama.pull("local/new")]
    assert statuses[0].startswith("pulling manifest")
    assert statuses[-1] == "success"
    await ollama.aclose()


@needs_peers
@pytest.mark.model
async def test_the_whole_program_lets_a_persona_answer_through_the_proxy(
    proxy: str, tmp_path: Path
) -> None:
    default = {"PALABRE_MODELS__DEFAULT_MODEL": f"ollama/local/{MODEL}"}
    of_few_words(tmp_path / "data" / "personas")
    with served(tmp_path / "data", variables={"OLLAMA_URL": proxy, **default}) as server:
        async with connect(f"{server.url}/ws?nick=lea") as client, asyncio.timeout(120):
            await client.send(json.dumps({"type": "message", "text": "@Batty, qui es-tu ?"}))
            said: list[dict[str, Any]] = []
            while not said or said[-1]["type"] != "message":
                frame = json.loads(await client.recv())
                said += [frame] if frame.get("nick") == "Batty" else []
    *grown, message = said
    chunks = [frame for frame in grown if frame["type"] == "chunk"]
    assert [chunk["seq"] for chunk in chunks] == list(range(1, len(chunks) + 1))
    assert 3 < len(chunks) <= 60
    assert {frame["replyId"] for frame in [*chunks, message]} == {message["replyId"]}
    assert message["text"].strip()


SIMULATED = """
tokens_per_s = 1000
first_token_delay_s = 0
split = "bytes"

[[answer]]
when = "panne"
error = "http"
message = "plus de memoire"

[[answer]]
when = "accident"
error = "in_stream"
after_tokens = 1

[[answer]]
when = "horloge"
tool = { name = "now", arguments = { zone = "Paris" } }

[[answer]]
text = "J'ai vu l'été, au large d'Orion."
thinking = "Qui parle ?"

[pull]
duration_s = 0.1
steps = 4
unknown = ["introuvable"]
"""


@needs_peers
def test_the_official_client_understands_our_simulated_ollama(tmp_path: Path) -> None:
    script = tmp_path / "script.toml"
    script.write_text(SIMULATED, encoding="utf-8")
    command = [PALABRE, "sim", "ollama", "--port", "0", "--script", script]
    with running(command, tmp_path) as simulator:
        client = [peers.PYTHON, SUPPORT / "official_ollama_client.py", simulator.url]
        ran = subprocess.run(client, check=False, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    took_ns, (prompt_tokens, answer_tokens) = told.pop("took"), told.pop("counted")
    models = told.pop("models")
    assert models["qwen3:8b"] == [5_225_388_164, "8.2B"]
    assert "nomic-embed-text:latest" in models
    assert took_ns > 0
    assert prompt_tokens > 0
    assert answer_tokens == 9
    total = told["pulled"][0][1]
    assert told == {
        "dated": True,
        "loaded": ["qwen3:8b"],
        "expires": True,
        "capabilities": ["completion", "tools", "thinking"],
        "context": 40_960,
        "answer": ["", "", "", "J'ai ", "vu ", "l'été, ", "au ", "large ", "d'Orion.", ""],
        "thoughts": "Qui parle ?",
        "done": [True, "stop"],
        "cut": [True, "length"],
        "with_all": "{}",
        "calls": [["now", {"zone": "Paris"}]],
        "unloaded": ["unload", []],
        "whole": "J'ai vu l'été, au large d'Orion.",
        "generated": "J'ai vu l'été, au large d'Orion.",
        "dims": [768] * 3,
        "same": True,
        "pull": told["pull"],
        "pulled": [[total * step // 4, total] for step in (1, 2, 3, 4)],
        "has_pulled": True,
        "http": [500, "plus de memoire"],
        "in_stream": [-1, "an error was encountered while running the model"],
        "unknown": [404, "model 'personne' not found"],
        "no_pull": [-1, "pull model manifest: file does not exist"],
    }
    assert told["pull"][0] == "pulling manifest"
    assert told["pull"][-1] == "success"


def of_few_words(personas: Path) -> None:
    """Put a Batty whose answers are short in the place of the one that comes along."""
    batty = load_settings().settings.content_dir / "personas" / "batty.toml"
    personas.mkdir(parents=True)
    own = f"max_tokens = 60\n{batty.read_text(encoding='utf-8')}"
    (personas / "batty.toml").write_text(own, encoding="utf-8")


async def metric(llama: str, name: str) -> float:
    async with httpx2.AsyncClient(trust_env=False) as http:
        lines = (await http.get(f"{llama}/metrics")).text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"llamacpp:{name} "))
