"""What the embedded models do before any weights are in memory; the rest is in e2e."""

import asyncio
from pathlib import Path

import pytest

from palabre.adapters.models.embedded import EmbeddedProvider
from palabre.adapters.models.llama_child import LlamaChild, LlamaOptions
from palabre.adapters.models.weights import WeightStore
from palabre.adapters.models.weights_catalogue import Catalogue, Weights
from palabre.core.models.errors import (
    ModelNotFetchedError,
    ModelNotFoundError,
    ModelNotLoadedError,
    SilentServerError,
)
from palabre.core.models.model import Capability, ChatMessage, ChatRequest
from palabre.core.models.slots import CallSlots
from palabre.kernel.text import text
from palabre.texts import say

BIG = Weights("big.gguf", (), parameters=1_500_000_000, name="big")
TINY = Weights("tiny.gguf", (), parameters=500_000_000, name="tiny-one")
CATALOGUE = Catalogue({"small": ("big",), "tiny": ("tiny-one",)}, {"tiny-one": TINY, "big": BIG})


def provider(folder: Path, *here: Weights, preferred: tuple[str, ...] = ("small", "tiny")):
    for each in here:
        (folder / each.file).write_bytes(b"no weights")
    store = WeightStore(CATALOGUE, folder, "")
    return EmbeddedProvider(store, preferred, CallSlots(1, 1), LlamaOptions(), timeout_s=60)


async def answer(embedded: EmbeddedProvider, model: str) -> None:
    request = ChatRequest(model, (ChatMessage("user", "Bonjour"),))
    _ = [event async for event in embedded.stream(request)]


async def test_without_weights_it_does_not_answer_and_says_what_to_do(tmp_path: Path) -> None:
    health = await provider(tmp_path).health()
    assert (health.ok, health.detail) == (False, text("model_health.no_weights"))


@pytest.mark.parametrize(
    ("preferred", "order"),
    [(("small", "tiny"), ["big", "tiny-one"]), (("tiny", "small"), ["tiny-one", "big"])],
)
async def test_models_are_those_that_are_here_the_preferred_first(
    tmp_path: Path, preferred: tuple[str, ...], order: list[str]
) -> None:
    embedded = provider(tmp_path, BIG, TINY, preferred=preferred)
    models = [info for info in await embedded.models() if Capability.CHAT in info.capabilities]
    assert [info.id for info in models] == order
    assert all(info.is_small and not info.loaded for info in models)
    assert (await embedded.health()).ok


@pytest.mark.parametrize(
    ("asked", "name"),
    [("auto", "big"), ("small", "big"), ("tiny-one", "tiny-one"), ("tiny", "tiny-one")],
)
async def test_what_was_fetched_is_named(tmp_path: Path, asked: str, name: str) -> None:
    assert provider(tmp_path, BIG, TINY).fetched(asked) == name


async def test_weights_that_are_not_here_are_not_found(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFetchedError):
        await answer(provider(tmp_path, TINY), "big")


async def test_a_file_that_is_no_model_is_an_error_and_leaves_no_process(tmp_path: Path) -> None:
    embedded = provider(tmp_path, TINY)
    with pytest.raises(ModelNotLoadedError) as failed:
        await answer(embedded, "tiny-one")
    assert say(failed.value.text).startswith("llama.cpp n'a pas pu charger tiny-one (")
    await embedded.aclose()


async def test_loading_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    now_s = asyncio.get_running_loop().time()
    with pytest.raises(SilentServerError):
        await LlamaChild.start(tmp_path / "x.gguf", "x", LlamaOptions(), now_s + 0.001)


async def test_only_the_embedder_makes_vectors(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFoundError):
        await provider(tmp_path, BIG).embed("big", ["un chat"])
