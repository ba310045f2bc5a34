"""The service over a store in memory: what personas find, and what becomes of documents."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from palabre.core.knowledge.errors import (
    AmbiguousDocumentError,
    DocumentTooLongError,
    NothingToIndexError,
    UnknownDocumentError,
)
from palabre.core.knowledge.model import MAX_DOCUMENT_CHARS, Document, EmbedderKey, SourceText
from palabre.core.knowledge.service import KnowledgeRules, KnowledgeService
from palabre.core.models.model import EmbeddingPurpose
from palabre.kernel.errors import StorageError, UpstreamError
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.knowledge import LetterEmbedder, MemoryKnowledgeStore, WordAnalyser

MOKA = SourceText("moka.md", "Moka", "Le chat Moka dort sur la presse quand elle est froide.")
FOUR = SourceText("four.md", "Four", "Le four à céramique monte en onze heures à 1240 degrés.")
LONG = SourceText(
    "long.md", "Long", "\n\n".join(f"Paragraphe numéro {n}. " * 12 for n in range(30))
)


@dataclass
class Place:
    rules: KnowledgeRules = field(default_factory=KnowledgeRules)
    store: MemoryKnowledgeStore = field(default_factory=MemoryKnowledgeStore)
    embedder: LetterEmbedder = field(default_factory=LetterEmbedder)
    clock: FrozenClock = field(default_factory=FrozenClock)
    ids: CountingIds = field(default_factory=CountingIds)

    @property
    def service(self) -> KnowledgeService:
        return KnowledgeService(
            self.store,
            WordAnalyser(),
            self.embedder,
            rules=self.rules,
            clock=self.clock,
            ids=self.ids,
        )

    async def only(self) -> Document:
        [document] = await self.service.documents()
        return document


async def test_what_is_added_is_found_with_its_similarity() -> None:
    place = Place()
    service = place.service
    receipt = await service.add(MOKA)
    await service.add(FOUR)
    assert (receipt.status, receipt.embedded, receipt.probe_rank) == ("indexed", 1, 1)
    passages = await service.find("où dort le chat Moka")
    assert passages[0].text == MOKA.text
    assert passages[0].similarity > 0.3


async def test_at_most_two_passages_are_told_and_none_that_is_far() -> None:
    service = Place().service
    for number in range(5):
        await service.add(SourceText(f"{number}.md", "Moka", f"Le chat Moka dort, nuit {number}."))
    assert len(await service.find("le chat Moka dort")) == 2
    assert await service.find("bjbj fpfp") == []


async def test_an_explicit_zero_is_a_zero() -> None:
    far = Place(KnowledgeRules(min_similarity=0.0)).service
    await far.add(MOKA)
    assert len(await far.find("chqz")) == 1
    none = Place(KnowledgeRules(max_results=0))
    await none.service.add(MOKA)
    asked = len(none.embedder.embedded)
    assert await none.service.find("le chat Moka dort") == ()
    assert len(none.embedder.embedded) == asked


async def test_without_documents_no_question_is_embedded() -> None:
    place = Place()
    assert await place.service.find("ok") == ()
    assert place.embedder.embedded == []


async def test_a_question_is_embedded_once() -> None:
    place = Place()
    service = place.service
    await service.add(MOKA)
    before = len(place.embedder.embedded)
    await service.find("où dort Moka")
    await service.find("où dort Moka")
    assert len(place.embedder.embedded) == before + 1


async def test_chunks_are_no_longer_than_the_rules_say() -> None:
    place = Place()
    await place.service.add(LONG)
    chunks = await place.store.chunks((await place.only()).id)
    assert len(chunks) > 5
    assert all(len(each.text) <= 500 and each.text in LONG.text for each in chunks)


@pytest.mark.parametrize("text", ["", " \n\t ", "\f\n\f"])
async def test_a_text_of_white_space_is_refused_and_not_kept(text: str) -> None:
    place = Place()
    with pytest.raises(NothingToIndexError) as caught:
        await place.service.add(SourceText("vide.md", "Vide", text))
    assert caught.value.data == {"title": "Vide"}
    assert await place.service.documents() == []


async def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(DocumentTooLongError):
        await Place().service.add(SourceText("s", "t", "a" * (MAX_DOCUMENT_CHARS + 1)))


async def test_what_no_database_holds_is_replaced_character_for_character() -> None:
    place = Place()
    await place.service.add(SourceText("s", "t", "a\0b\ud83dc"))
    assert await place.service.text(await place.only()) == "a\ufffdb\ufffdc"


async def test_the_same_text_again_is_unchanged_and_a_new_one_replaces_it() -> None:
    place = Place()
    service = place.service
    await service.add(MOKA)
    embedded = len(place.embedder.embedded)
    assert (await service.add(MOKA)).status == "unchanged"
    assert len(place.embedder.embedded) == embedded
    newer = SourceText("moka.md", "Moka", "Le chat Moka mange à midi.")
    assert (await service.add(newer)).status == "indexed"
    assert await service.text(await place.only()) == newer.text


async def test_a_new_title_is_taken_over() -> None:
    place = Place()
    await place.service.add(MOKA)
    renamed = SourceText("moka.md", "Le chat", MOKA.text)
    assert (await place.service.add(renamed)).status == "indexed"
    assert (await place.only()).title == "Le chat"


async def test_without_an_embedder_a_document_waits_and_is_found_by_its_words() -> None:
    place = Place(embedder=LetterEmbedder(down="no"))
    service = place.service
    receipt = await service.add(MOKA)
    assert (receipt.status, receipt.embedded, receipt.document.chunks) == ("waiting", 0, 1)
    assert [each.text for each in await service.find("le chat Moka")] == [MOKA.text]
    assert await service.find("le temps à Brest demain") == []
    assert (await service.standing()).waiting == 1

    place.embedder.down = ""
    place.clock.advance(61)
    assert await service.resume() == 0
    assert (await service.standing()).waiting == 0


async def test_an_embedder_that_fails_halfway_loses_nothing() -> None:
    place = Place(embedder=LetterEmbedder(fails_after=8))
    receipt = await place.service.add(LONG)
    assert receipt.status == "waiting"
    assert receipt.embedded == 8
    place.embedder.fails_after, place.embedder.down = None, ""
    place.clock.advance(61)
    before = len(place.embedder.embedded)
    assert await place.service.resume() == 0
    assert len(place.embedder.embedded) - before == receipt.document.chunks - 8
    assert (await place.only()).embedded


async def test_work_of_another_process_is_left_to_it_for_a_minute() -> None:
    place = Place(embedder=LetterEmbedder(down="no"))
    await place.service.add(MOKA)
    place.embedder.down = ""
    await place.service.resume()
    assert not (await place.only()).embedded
    place.clock.advance(timedelta(seconds=61).total_seconds())
    await place.service.resume()
    assert (await place.only()).embedded


async def test_while_the_embedder_is_away_words_do_and_no_other_takes_its_place() -> None:
    place = Place()
    await place.service.add(MOKA)
    embedded = len(place.embedder.embedded)
    place.embedder.ref, place.embedder.dimensions = "fake/other", 32
    place.clock.advance(61)
    assert await place.service.resume() == 0
    [told] = await place.service.find("le chat Moka dort")
    assert (told.text, told.similarity) == (MOKA.text, 0.0)
    standing = await place.service.standing()
    assert (standing.embedder, standing.answers) == ("fake/letters", False)
    assert (await place.service.add(FOUR)).status == "waiting"

    place.embedder.ref, place.embedder.dimensions = "fake/letters", 64
    await place.service.resume()
    assert (await place.service.standing()).answers
    assert (await place.service.find("le chat Moka dort"))[0].similarity > 0.3
    assert [text for text in place.embedder.embedded[embedded:] if MOKA.text in text] == []


async def test_an_embedder_that_is_away_is_not_asked_for_each_document_that_waits() -> None:
    class Counted(LetterEmbedder):
        calls = 0

        async def embed(self, *asked: object) -> list[list[float]]:
            self.calls += 1
            return await super().embed(*asked)

    embedder = Counted()
    place = Place(embedder=embedder)
    await place.service.add(MOKA)
    embedder.down = "no"
    await place.service.add(FOUR)
    embedder.calls = 0
    place.clock.advance(61)
    await place.service.resume()
    assert embedder.calls == 0


async def test_reindex_takes_the_embedder_of_now() -> None:
    place = Place()
    await place.service.add(MOKA)
    place.embedder.ref, place.embedder.dimensions = "fake/other", 32
    assert await place.service.reindex() == 0
    assert (await place.service.standing()).embedder == "fake/other"
    assert (await place.service.find("le chat Moka dort"))[0].similarity > 0.3


async def test_other_chunk_sizes_cut_everything_anew() -> None:
    place = Place()
    await place.service.add(LONG)
    before = (await place.only()).chunks
    place.rules = KnowledgeRules(chunk_chars=200)
    place.clock.advance(61)
    await place.service.resume()
    assert (await place.only()).chunks > before
    assert (await place.only()).embedded


async def test_reindex_makes_all_vectors_anew() -> None:
    place = Place()
    await place.service.add(MOKA)
    place.embedder.embedded.clear()
    assert await place.service.reindex() == 0
    assert place.embedder.embedded[1:] == [f"Moka\n{MOKA.text}"]
    place.embedder.down = "no"
    assert await place.service.reindex() == 1
    place.embedder.down = ""
    assert (await place.only()).embedded


class WatchedEmbedder(LetterEmbedder):
    """Takes 40 s for a batch, in which a server beside looks for work."""

    place: Place
    is_watched = False

    async def embed(
        self, key: EmbedderKey, texts: Sequence[str], purpose: EmbeddingPurpose
    ) -> list[list[float]]:
        if self.is_watched and purpose == "passage":
            self.is_watched = False
            self.place.clock.advance(40)
            await self.place.service.resume()
            self.is_watched = True
        return await super().embed(key, texts, purpose)


async def test_a_server_beside_leaves_a_reindex_alone() -> None:
    """Before, both embedded every passage."""
    place = Place(embedder=(embedder := WatchedEmbedder()))
    for number in range(4):
        await place.service.add(SourceText(f"{number}.md", "Moka", f"Moka dort, nuit {number}."))
    place.clock.advance(3600)
    embedder.embedded.clear()
    embedder.place, embedder.is_watched = place, True
    assert await place.service.reindex() == 0
    passages = [each for each in embedder.embedded if each.startswith("Moka\n")]
    assert len(passages) == len(set(passages)) == 4


async def test_progress_tells_how_many_vectors_there_are() -> None:
    told: list[tuple[int, int]] = []
    place = Place()
    await place.service.add(LONG, lambda done, total: told.append((done, total)))
    count = (await place.only()).chunks
    assert told[0] == (0, count)
    assert told[-1] == (count, count)
    assert told == sorted(told)


async def test_documents_are_named_by_id_source_or_title() -> None:
    place = Place()
    await place.service.add(MOKA)
    await place.service.add(SourceText("autre.md", "Moka", "Un autre texte du même titre."))
    service = place.service
    first, second = await service.documents()
    assert (await service.named(first.id)).id == first.id
    assert (await service.named("autre.md")).id == second.id
    with pytest.raises(AmbiguousDocumentError) as caught:
        await service.named("moka")
    assert first.id in str(caught.value.data["ids"])
    with pytest.raises(UnknownDocumentError):
        await service.named("rien")
    await service.remove(first)
    assert (await service.named("MOKA")).id == second.id


async def test_a_store_that_fails_leaves_personas_without_documents() -> None:
    class Broken(MemoryKnowledgeStore):
        async def count_searched(self):
            raise StorageError(detail="disk")

    assert await Place(store=Broken()).service.find("Moka") == ()


async def test_searching_by_vectors_alone_needs_an_embedder() -> None:
    service = Place(embedder=LetterEmbedder(down="no")).service
    with pytest.raises(UpstreamError):
        await service.search("Moka", "vectors", 2)
    assert await service.search("Moka", "words", 2) == []


async def test_an_exam_is_made_of_the_documents_and_graded_in_every_mode() -> None:
    service = Place().service
    for each in (MOKA, FOUR):
        await service.add(each)
    questions = await service.questions()
    assert [each.source for each in questions] == ["moka.md", "four.md"]
    assert questions[0].text != questions[0].evidence
    grades = await service.examine(questions)
    assert list(grades) == ["words", "vectors", "hybrid"]
    assert grades["hybrid"].recall[1] == 1
    assert await service.embedder() == "fake/letters"
