import asyncio
import logging

import pytest

from palabre.core.models.errors import (
    NoEmbedderError,
    NoModelError,
    NoProviderError,
    NoVisionModelError,
    SilentServerError,
)
from palabre.core.models.model import (
    AnswerGrew,
    Capability,
    ChatMessage,
    ChatRequest,
    ModelInfo,
)
from palabre.core.models.registry import HEALTH_AGE_S, LIST_AGE_S, ModelRegistry
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import verbatim
from palabre.testing.clock import FrozenClock
from palabre.testing.models import Answer, ScriptedProvider
from palabre.testing.telemetry import RecordingTelemetry
from palabre.texts import say

HELLO = ChatRequest("", (ChatMessage("user", "Bonjour"),))


def registry(
    *providers: ScriptedProvider, default_model: str = "qwen3:8b", default_provider: str = "auto"
) -> tuple[ModelRegistry, FrozenClock]:
    clock = FrozenClock()
    made = ModelRegistry(
        providers, default_model=default_model, default_provider=default_provider, clock=clock
    )
    return made, clock


async def test_a_bare_name_means_the_default_provider():
    models, _ = registry(ScriptedProvider(name="ollama", models=["qwen3:8b", "mistral"]))
    found = await models.resolve("mistral")
    assert (found.info.ref, found.substituted) == ("ollama/mistral", False)


async def test_a_name_may_say_its_provider():
    models, _ = registry(
        ScriptedProvider(name="ollama", models=["qwen3:8b"]),
        ScriptedProvider(name="vllm", models=["org/big"]),
    )
    assert (await models.resolve("vllm/org/big")).info.ref == "vllm/org/big"


async def test_a_slash_in_a_bare_name_is_no_provider():
    models, _ = registry(ScriptedProvider(name="ollama", models=["hf.co/org/model:Q4"]))
    assert not (await models.resolve("hf.co/org/model:Q4")).substituted


@pytest.mark.parametrize(("installed", "asked"), [("m:latest", "m"), ("m", "m:latest")])
async def test_latest_may_be_left_out_or_written(installed, asked):
    models, _ = registry(ScriptedProvider(name="ollama", models=[installed]))
    found = await models.resolve(asked)
    assert (found.info.id, found.substituted) == (installed, False)


async def test_the_default_model_stands_in_and_is_told_of_once(caplog):
    models, _ = registry(ScriptedProvider(name="ollama", models=["small", "qwen3:8b"]))
    with caplog.at_level(logging.WARNING):
        found = [await models.resolve("absent") for _ in range(3)]
    assert {(each.asked, each.info.id, each.substituted) for each in found} == {
        ("absent", "qwen3:8b", True)
    }
    assert [record.getMessage() for record in caplog.records] == [
        "model absent is not installed: ollama/qwen3:8b answers instead"
    ]


async def test_without_the_default_model_the_first_that_chats_stands_in():
    embedder = ModelInfo("ollama", "nomic", capabilities=frozenset({Capability.EMBED}))
    models, _ = registry(ScriptedProvider(name="ollama", models=[embedder, "tiny"]))
    assert (await models.resolve("qwen3:8b")).info.id == "tiny"


async def test_no_model_at_all_is_an_error_of_its_own():
    models, _ = registry(ScriptedProvider(name="ollama", models=[]))
    with pytest.raises(NoModelError):
        await models.resolve("qwen3:8b")


async def test_auto_takes_ollama_when_it_answers():
    models, _ = registry(
        ScriptedProvider(name="embedded", models=["tiny"]),
        ScriptedProvider(name="ollama", models=["qwen3:8b"]),
    )
    assert (await models.resolve("qwen3:8b")).info.provider == "ollama"


async def test_auto_takes_the_embedded_model_otherwise_and_notices_ollama_later():
    ollama = ScriptedProvider(name="ollama", models=["qwen3:8b"])
    ollama.down = "connection refused"
    models, clock = registry(ollama, ScriptedProvider(name="embedded", models=["tiny"]))
    assert (await models.resolve("qwen3:8b")).info.ref == "embedded/tiny"
    ollama.down = ""
    assert (await models.resolve("qwen3:8b")).info.ref == "embedded/tiny"
    clock.advance(HEALTH_AGE_S + 1)
    assert (await models.resolve("qwen3:8b")).info.ref == "ollama/qwen3:8b"


async def test_auto_without_anything_says_why():
    ollama, embedded = (ScriptedProvider(name=name) for name in ("ollama", "embedded"))
    ollama.down, embedded.down = "refused", "no weights"
    models, _ = registry(ollama, embedded)
    with pytest.raises(NoModelError) as failed:
        await models.resolve("qwen3:8b")
    assert failed.value.reasons == (verbatim("refused"), verbatim("no weights"))


async def test_a_chosen_provider_that_is_down_fails_in_its_own_words():
    ollama = ScriptedProvider(name="ollama")
    ollama.down = "Ollama returned 500: Internal Server Error"
    models, _ = registry(ollama, default_provider="ollama")
    with pytest.raises(UpstreamError) as failed:
        await models.resolve("qwen3:8b")
    assert failed.value.data["detail"] == ollama.down


async def test_a_provider_that_is_not_configured_is_named():
    models, _ = registry(ScriptedProvider(name="ollama"), default_provider="vllm")
    with pytest.raises(NoProviderError) as failed:
        await models.resolve("x")
    assert failed.value.data["provider"] == "vllm"


async def test_a_list_is_asked_for_once_in_a_while():
    ollama = ScriptedProvider(name="ollama", models=["a"])
    models, clock = registry(ollama, default_model="a")
    for _ in range(5):
        await models.resolve("a")
    assert ollama.lists_asked == 1
    clock.advance(LIST_AGE_S + 1)
    await models.resolve("a")
    assert ollama.lists_asked == 2


async def test_an_answer_comes_from_the_resolved_model():
    ollama = ScriptedProvider("Salut.", name="ollama", models=["a"])
    models, _ = registry(ollama, default_model="a")
    resolved = await models.resolve("ollama/a")
    events = [event async for event in models.stream(resolved, HELLO)]
    assert AnswerGrew("Salut.") in events
    assert ollama.requests[0].model == "a"


async def test_after_a_failed_answer_the_list_is_asked_for_anew():
    ollama = ScriptedProvider(Answer(error=UpstreamError(detail="gone")), name="ollama", models="a")
    models, _ = registry(ollama, default_model="a")
    resolved = await models.resolve("a")
    with pytest.raises(UpstreamError):
        _ = [event async for event in models.stream(resolved, HELLO)]
    await models.resolve("a")
    assert ollama.lists_asked == 2


async def test_closing_an_answer_early_closes_the_providers_call():
    ollama = ScriptedProvider(Answer(("a", "b", "c")), name="ollama", models="a")
    models, _ = registry(ollama, default_model="a")
    call = models.stream(await models.resolve("a"), HELLO)
    await anext(call)
    await call.aclose()
    assert (ollama.open_calls, ollama.closed_early) == (0, 1)


async def test_models_of_all_providers_are_listed_and_silent_ones_left_out():
    down = ScriptedProvider(name="vllm")
    down.down = "refused"
    models, _ = registry(
        ScriptedProvider(name="ollama", models=["a"]),
        down,
        ScriptedProvider(name="embedded", models=["tiny"]),
    )
    assert [info.ref for info in await models.models()] == ["ollama/a", "embedded/tiny"]
    assert {name: each.ok for name, each in (await models.health()).items()} == {
        "ollama": True,
        "vllm": False,
        "embedded": True,
    }


async def test_the_default_model_is_found_without_a_word_in_the_log(caplog):
    models, _ = registry(ScriptedProvider(name="ollama", models=["small", "qwen3:8b"]))
    with caplog.at_level(logging.INFO):
        assert (await models.default_model()).id == "qwen3:8b"
    assert not caplog.records


async def test_a_failure_names_the_provider_as_people_call_it():
    ollama = ScriptedProvider(Answer(error=UpstreamError(detail="gone")), name="ollama", models="a")
    models, _ = registry(ollama, default_provider="ollama")
    resolved = await models.resolve("a")
    with pytest.raises(UpstreamError) as failed:
        _ = [event async for event in models.stream(resolved, HELLO)]
    assert failed.value.data["service"] == "Ollama"
    ollama.down = "refused"
    with pytest.raises(UpstreamError) as down:
        await models.resolve("a")
    assert down.value.data["service"] == "Ollama"


async def test_a_pull_makes_the_list_be_asked_for_anew():
    ollama = ScriptedProvider(name="ollama", models=["a"])
    models, _ = registry(ollama, default_model="a")
    await models.resolve("a")
    assert [each.status async for each in models.pull("ollama", "b")][-1] == "success"
    assert not (await models.resolve("b")).substituted


def skilled(provider: str, model: str, *skills: Capability) -> ModelInfo:
    return ModelInfo(provider, model, capabilities=frozenset(skills))


NOMIC = skilled("ollama", "nomic-embed-text:latest", Capability.EMBED)
E5 = skilled("embedded", "multilingual-e5-small", Capability.EMBED)
SEER = skilled("vllm", "org/seer", Capability.CHAT, Capability.VISION)


async def test_the_embedder_that_is_asked_for_makes_vectors_wherever_it_is():
    models, _ = registry(
        ScriptedProvider(name="embedded", models=["tiny", E5]),
        ScriptedProvider(name="ollama", models=["qwen3:8b", NOMIC]),
        default_provider="embedded",
    )
    assert await models.resolve_embedder("nomic-embed-text") == NOMIC
    assert await models.resolve_embedder("embedded/multilingual-e5-small") == E5


async def test_without_it_the_default_providers_first_embedder_stands_in():
    bge = skilled("ollama", "bge-m3", Capability.EMBED)
    models, _ = registry(
        ScriptedProvider(name="embedded", models=[E5]),
        ScriptedProvider(name="ollama", models=["qwen3:8b", bge]),
    )
    assert await models.resolve_embedder("nomic-embed-text") == bge


async def test_the_embedded_embedder_stands_in_last_also_when_no_model_chats():
    ollama = ScriptedProvider(name="ollama")
    ollama.down = "refused"
    embedded = ScriptedProvider(name="embedded", models=[E5])
    models, _ = registry(ollama, embedded)
    assert await models.resolve_embedder("nomic-embed-text") == E5
    healthy, _ = registry(ScriptedProvider(name="ollama"), embedded)
    assert await healthy.resolve_embedder("nomic-embed-text") == E5


async def test_without_any_embedder_the_text_names_the_one_to_fetch():
    models, _ = registry(ScriptedProvider(name="ollama"))
    with pytest.raises(NoEmbedderError) as failed:
        await models.resolve_embedder("nomic-embed-text")
    assert "ollama pull nomic-embed-text" in say(failed.value.text)


async def test_a_model_that_only_makes_vectors_never_chats():
    models, _ = registry(ScriptedProvider(name="ollama", models=[NOMIC, "qwen3:8b"]))
    found = await models.resolve("nomic-embed-text")
    assert (found.info.id, found.substituted) == ("qwen3:8b", True)


async def test_vectors_are_counted_and_failures_blame_the_provider():
    telemetry = RecordingTelemetry()
    ollama = ScriptedProvider(name="ollama", models=[NOMIC])
    models = ModelRegistry([ollama], default_model="m", clock=FrozenClock(), telemetry=telemetry)
    vectors = await models.embed(NOMIC.ref, ["a", "bc"], "question")
    assert [vector[0] for vector in vectors] == [1.0, 2.0]
    assert ollama.embedded == [("a", "question"), ("bc", "question")]
    ollama.down = "refused"
    with pytest.raises(UpstreamError) as failed:
        await models.embed(NOMIC.ref, ["a"])
    assert failed.value.data["service"] == "Ollama"
    assert telemetry.counts["model_calls", "ollama"] == 2
    assert telemetry.counts["model_failures", "ollama"] == 1


async def test_a_picture_goes_to_the_model_that_is_asked_for_wherever_it_is():
    models, _ = registry(
        ScriptedProvider(name="ollama", models=["qwen3:8b"]),
        ScriptedProvider(name="vllm", models=["plain", SEER, "qwen3-vl:8b"]),
    )
    found = await models.resolve_vision("qwen3-vl:8b")
    assert (found.info.ref, found.substituted) == ("vllm/qwen3-vl:8b", False)


async def test_without_it_the_first_that_sees_stands_in():
    models, _ = registry(
        ScriptedProvider(name="ollama", models=["qwen3:8b"]),
        ScriptedProvider(name="vllm", models=["plain", SEER]),
    )
    found = await models.resolve_vision("qwen3-vl:8b")
    assert (found.info.ref, found.substituted) == (SEER.ref, True)


async def test_without_any_that_sees_there_is_an_error_of_its_own():
    models, _ = registry(ScriptedProvider(name="ollama"))
    with pytest.raises(NoVisionModelError):
        await models.resolve_vision("qwen3-vl:8b")


async def answered(answer: Answer, *, max_chars: int = 100, timeout_s: float = 30.0) -> str:
    models, _ = registry(ScriptedProvider(answer, name="ollama"))
    resolved = await models.resolve("parrot")
    return await models.answer(resolved, HELLO, max_chars=max_chars, timeout_s=timeout_s)


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (("Oui", "."), "Oui."),
        (("<thi", "nk>hm</think> Oui.", "\n"), "Oui."),
        (("hm</think>Oui.",), "Oui."),
        (("<think>hm, Oui.",), ""),
    ],
)
async def test_a_whole_answer_is_its_words_without_thoughts(pieces: tuple[str, ...], words: str):
    assert await answered(Answer(pieces, thoughts=("Hm.",))) == words


async def test_of_an_endless_answer_no_more_is_read_than_wanted():
    assert await answered(Answer(("abc",) * 1000), max_chars=10) == "abcabcabca"


async def test_an_answer_that_takes_too_long_is_the_servers_silence():
    with pytest.raises(SilentServerError):
        await answered(Answer(("Oui",), gate=asyncio.Event()), timeout_s=0.01)
