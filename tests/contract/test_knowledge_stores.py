"""What every `KnowledgeStore` does, whatever it keeps documents in."""

import math
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from palabre.adapters.storage.sql.address import postgres_address, sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.knowledge.store import SqlKnowledgeStore
from palabre.core.knowledge.model import (
    Chunk,
    EmbedderChoice,
    EmbedderKey,
    Hit,
    IndexedChunk,
    SourceText,
    WordHits,
)
from palabre.core.knowledge.ports import KnowledgeStore
from palabre.testing.knowledge import MemoryKnowledgeStore, WordAnalyser

TEN = datetime(2026, 3, 20, 10, tzinfo=UTC)
LATER = TEN + timedelta(hours=1)
SMALL, LARGE = EmbedderKey("fake/small", 2), EmbedderKey("fake/large", 3)
EAST, NORTH, BETWEEN = (1.0, 0.0), (0.0, 1.0), (0.6, 0.8)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[KnowledgeStore]:
    if request.param == "memory":
        yield MemoryKnowledgeStore()
        return
    address = (
        sqlite_address(tmp_path / "data")
        if request.param == "sqlite"
        else postgres_address(request.getfixturevalue("postgres").new_database())
    )
    database = await Database.open(address)
    yield SqlKnowledgeStore(database)
    await database.aclose()


def source(text: str, name: str = "a.md", title: str = "A") -> SourceText:
    return SourceText(name, title, text)


def cut(text: SourceText) -> list[IndexedChunk]:
    """One chunk a line."""
    chunks, start = [], 0
    for number, line in enumerate(text.text.split("\n"), 1):
        chunks.append(IndexedChunk(Chunk(start, line, number), WordAnalyser().terms(line)))
        start += len(line) + 1
    return chunks


async def choose(store: KnowledgeStore, embedder: EmbedderKey) -> None:
    choice = EmbedderChoice(embedder, "wished")
    assert await store.choose(choice, await store.choice()) == choice


async def keep(store: KnowledgeStore, text: SourceText, document_id: str, recipe: str = "r") -> str:
    return await store.keep(document_id, text, f"{hash(text.text):064x}"[-64:], recipe, TEN)


async def add(
    store: KnowledgeStore,
    text: str,
    name: str = "a.md",
    vectors: Sequence[Sequence[float]] = (),
    embedder: EmbedderKey = SMALL,
) -> list[int]:
    """Publish *text*, with *vectors* if given; return its chunks."""
    whole = source(text, name, name)
    document_id = await keep(store, whole, f"doc_{name}_{text[:3]}")
    assert await store.publish(document_id, cut(whole), "r")
    ids = [each.id for each in await store.chunks(document_id)]
    if vectors:
        await choose(store, embedder)
        await store.save_vectors(document_id, embedder, list(zip(ids, vectors, strict=True)))
        assert await store.complete(document_id, embedder)
    return ids


def found(hits: Sequence[Hit] | WordHits) -> list[int]:
    return [hit.chunk_id for hit in (hits.hits if isinstance(hits, WordHits) else hits)]


async def test_a_kept_text_is_pending_and_not_searched(store: KnowledgeStore) -> None:
    text = SourceText("a.md", "Été", "Les abeilles\ndorment 🐝", (0, 13))
    document_id = await keep(store, text, "doc_1")
    [document] = await store.documents()
    assert document == await store.document(document_id)
    assert (document.id, document.title, document.chars, document.pages) == ("doc_1", "Été", 22, 2)
    assert document.is_pending
    assert document.added_at == TEN
    assert await store.text(document_id) == text
    assert await store.count_searched() == 0
    assert found(await store.words(["abeilles"], 5)) == []


async def test_the_same_text_of_the_same_source_is_kept_once(store: KnowledgeStore) -> None:
    assert await keep(store, source("un"), "doc_1") == "doc_1"
    assert await keep(store, source("un"), "doc_2") == "doc_1"
    assert await keep(store, source("un", "b.md"), "doc_3") == "doc_3"
    assert [each.id for each in await store.documents()] == ["doc_1", "doc_3"]


async def test_a_new_title_counts_as_no_recipe(store: KnowledgeStore) -> None:
    await keep(store, source("un"), "doc_1")
    await keep(store, source("un", title="B"), "doc_2")
    [document] = await store.documents()
    assert (document.id, document.title, document.recipe) == ("doc_1", "B", "")


async def test_a_newer_pending_text_of_a_source_drops_an_older_one(store: KnowledgeStore) -> None:
    await keep(store, source("un"), "doc_1")
    await keep(store, source("deux"), "doc_2")
    assert [each.id for each in await store.documents()] == ["doc_2"]
    assert not await store.publish("doc_1", cut(source("un")), "r")


async def test_the_old_text_of_a_source_is_found_until_the_new_one_is_published(
    store: KnowledgeStore,
) -> None:
    [old] = await add(store, "vieille ruche", vectors=[EAST])
    text = source("jeune ruche")
    await keep(store, text, "doc_2")
    assert found(await store.words(["ruche"], 5)) == [old]
    await store.publish("doc_2", cut(text), "r")
    [new] = found(await store.words(["ruche"], 5))
    assert new != old
    assert found(await store.words(["vieille"], 5)) == []
    assert await store.nearest(SMALL, EAST, 5) == []
    assert [each.id for each in await store.documents()] == ["doc_2"]


async def test_words_are_ranked_by_bm25(store: KnowledgeStore) -> None:
    ids = await add(
        store,
        "le miel de la ruche\nmiel miel ruche\nla ruche et la porte\nle four\nle pain\nle chat",
    )
    words = await store.words(["miel", "ruche", "absent"], 5)
    assert found(words) == [ids[1], ids[0], ids[2]]
    # miel is in two of six, ruche in three, the third term in none
    assert words.weight == pytest.approx(math.log(4.5 / 2.5) + math.log(6.5 / 0.5), abs=0.001)
    # As SQLite's bm25() has them: k1 = 1.2, b = 0.75.
    expected = [0.8204, 0.4752, 0.0000009]
    assert [hit.score for hit in words.hits] == pytest.approx(expected, abs=0.001)


async def test_no_more_than_the_limit_is_found(store: KnowledgeStore) -> None:
    ids = await add(store, "un mot\nun mot\nun mot\nrien\nrien\nrien\nrien", vectors=[EAST] * 7)
    assert found(await store.words(["mot"], 2)) == ids[:2]
    assert found(await store.nearest(SMALL, EAST, 2)) == ids[:2]


@pytest.mark.parametrize("term", ['"', "a OR b", "x' | 'y", "\\", "NEAR(", "*", "-", "a:b", "😀"])
async def test_terms_are_words_and_never_commands(store: KnowledgeStore, term: str) -> None:
    await add(store, "y x b a\nrien")
    assert found(await store.words([term], 5)) == []


async def test_words_of_any_script_are_found(store: KnowledgeStore) -> None:
    ids = await add(store, "日本語 テスト\nμέλι\n48v 3e5 007\nc")
    for number, term in enumerate(["日本語", "μέλι", "3e5", "c"]):
        assert found(await store.words([term], 5)) == [ids[number]]


async def test_vectors_are_found_once_all_of_a_document_are_there(store: KnowledgeStore) -> None:
    text = source("un\ndeux")
    await keep(store, text, "doc_1")
    await choose(store, SMALL)
    assert not await store.complete("doc_1", SMALL)
    await store.publish("doc_1", cut(text), "r")
    one, two = await store.unembedded("doc_1", SMALL, 9)
    await store.save_vectors("doc_1", SMALL, [(one.id, EAST)])
    assert [each.text for each in await store.unembedded("doc_1", SMALL, 9)] == ["deux"]
    assert not await store.complete("doc_1", SMALL)
    assert await store.nearest(SMALL, EAST, 5) == []
    await store.save_vectors("doc_1", SMALL, [(one.id, EAST), (two.id, BETWEEN), (10**6, NORTH)])
    assert await store.complete("doc_1", SMALL)
    hits = await store.nearest(SMALL, EAST, 5)
    assert found(hits) == [one.id, two.id]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.6])
    assert await store.similarities(SMALL, NORTH, [two.id, 10**6]) == pytest.approx({two.id: 0.8})
    document = await store.document("doc_1", SMALL)
    assert document is not None
    assert document.embedded
    assert not (await store.documents(LARGE))[0].embedded


async def test_vectors_of_another_than_the_chosen_embedder_are_not_kept(
    store: KnowledgeStore,
) -> None:
    [chunk] = await add(store, "un", "a.md")
    document_id = (await store.documents())[0].id
    await store.save_vectors(document_id, SMALL, [(chunk, EAST)])
    assert await store.choice() is None
    await choose(store, LARGE)
    await store.save_vectors(document_id, SMALL, [(chunk, EAST)])
    assert not await store.complete(document_id, SMALL)
    assert await store.nearest(SMALL, EAST, 5) == []
    assert len(await store.unembedded(document_id, LARGE, 5)) == 1


async def test_another_choice_drops_the_vectors_and_the_same_keeps_them(
    store: KnowledgeStore,
) -> None:
    [small] = await add(store, "un", "a.md", [EAST])
    renamed = EmbedderChoice(SMALL, "another name")
    assert await store.choose(renamed, await store.choice()) == renamed == await store.choice()
    assert found(await store.nearest(SMALL, EAST, 5)) == [small]
    await choose(store, LARGE)
    assert await store.nearest(SMALL, EAST, 5) == []
    assert [each.embedded for each in await store.documents(SMALL)] == [False]
    await choose(store, SMALL)
    assert await store.nearest(SMALL, EAST, 5) == []


async def test_a_choice_that_another_process_overtook_is_dropped(store: KnowledgeStore) -> None:
    first, late = EmbedderChoice(SMALL, "a"), EmbedderChoice(LARGE, "b")
    assert await store.choose(first, None) == first
    assert await store.choose(late, None) == first
    assert await store.choose(late, first) == late


async def test_cutting_a_document_anew_takes_its_vectors_away(store: KnowledgeStore) -> None:
    await add(store, "un\ndeux", vectors=[EAST, NORTH])
    [document] = await store.documents(SMALL)
    text = await store.text(document.id)
    assert text is not None
    await store.publish(document.id, cut(text), "r2")
    assert await store.nearest(SMALL, EAST, 5) == []
    [again] = await store.documents(SMALL)
    assert (again.recipe, again.embedded, again.chunks) == ("r2", False, 2)
    ids = [each.id for each in await store.unembedded(document.id, SMALL, 9)]
    await store.save_vectors(document.id, SMALL, [(ids[0], NORTH), (ids[1], EAST)])
    await store.complete(document.id, SMALL)
    assert found(await store.nearest(SMALL, EAST, 1)) == [ids[1]]
    assert found(await store.words(["un"], 5)) == [ids[0]]


async def test_what_is_removed_is_found_no_more(store: KnowledgeStore) -> None:
    await add(store, "un", "a.md", [EAST])
    [kept] = await add(store, "un deux", "b.md", [BETWEEN])
    await store.nearest(SMALL, EAST, 5)
    first = (await store.documents())[0]
    assert await store.remove(first.id)
    assert not await store.remove(first.id)
    assert await store.document(first.id) is None
    assert await store.text(first.id) is None
    assert found(await store.words(["un"], 5)) == [kept]
    assert found(await store.nearest(SMALL, EAST, 5)) == [kept]


async def test_each_change_is_seen_by_the_next_search(store: KnowledgeStore) -> None:
    text = source("un")
    await keep(store, text, "doc_1")
    await choose(store, SMALL)
    assert await store.nearest(SMALL, EAST, 5) == []
    await store.publish("doc_1", cut(text), "r")
    assert await store.count_searched() == 1
    [chunk] = await store.chunks("doc_1")
    await store.save_vectors("doc_1", SMALL, [(chunk.id, EAST)])
    assert await store.nearest(SMALL, EAST, 5) == []
    await store.complete("doc_1", SMALL)
    assert found(await store.nearest(SMALL, EAST, 5)) == [chunk.id]
    await store.remove("doc_1")
    assert await store.nearest(SMALL, EAST, 5) == []
    assert await store.count_searched() == 0


async def test_unfinished_are_those_that_need_work_and_were_left_alone(
    store: KnowledgeStore,
) -> None:
    await keep(store, source("un", "p.md"), "pending")
    await add(store, "deux", "w.md")
    await add(store, "trois", "r.md", [EAST])
    names = {each.source: each.id for each in await store.documents()}
    assert await store.unfinished("r", None, LATER) == ["pending"]
    assert await store.unfinished("r", SMALL, LATER) == ["pending", names["w.md"]]
    assert len(await store.unfinished("r", LARGE, LATER)) == 3
    assert len(await store.unfinished("r2", None, LATER)) == 3
    assert await store.unfinished("r", SMALL, TEN) == []
    await store.touch("pending", LATER)
    assert await store.unfinished("r", SMALL, LATER) == [names["w.md"]]


async def test_all_vectors_can_be_dropped(store: KnowledgeStore) -> None:
    await add(store, "un", "a.md", [EAST])
    await store.nearest(SMALL, EAST, 5)
    await store.forget_vectors()
    assert await store.nearest(SMALL, EAST, 5) == []
    assert [each.embedded for each in await store.documents(SMALL)] == [False]
    [document] = await store.documents()
    [chunk] = await store.unembedded(document.id, SMALL, 5)
    await store.save_vectors(document.id, SMALL, [(chunk.id, NORTH)])
    assert await store.complete(document.id, SMALL)
    assert [hit.score for hit in await store.nearest(SMALL, NORTH, 5)] == pytest.approx([1.0])


async def test_a_passage_tells_where_it_is_from(store: KnowledgeStore) -> None:
    one, two = await add(store, "un\ndeux", "a.md")
    passages = await store.passages([two, 10**6])
    assert list(passages) == [two]
    passage = passages[two]
    assert (passage.title, passage.source, passage.text, passage.page) == (
        "a.md",
        "a.md",
        "deux",
        2,
    )
    assert await store.passages([]) == {}
    assert one != two
