import pytest

from palabre.core.knowledge.embedding import IndexEmbedder
from palabre.core.knowledge.errors import DocumentGoneError
from palabre.core.knowledge.indexing import BATCH, Indexer
from palabre.core.knowledge.model import SourceText
from palabre.core.knowledge.questions import Questions
from palabre.core.knowledge.search import Searcher
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.knowledge import LetterEmbedder, MemoryKnowledgeStore, WordAnalyser

PAGES = SourceText("livre.pdf", "Livre", "Une page.\fDeux pages.\fTrois pages.", (0, 10, 22))
LONG = SourceText("long.md", "Long", "\n\n".join(f"Paragraphe {n} " * 20 for n in range(3 * BATCH)))


def indexer(store: MemoryKnowledgeStore, embedder: LetterEmbedder) -> Indexer:
    chosen = IndexEmbedder(store, embedder)
    searcher = Searcher(store, WordAnalyser(), Questions(chosen))
    return Indexer(
        store,
        WordAnalyser(),
        chosen,
        searcher,
        chunk_chars=300,
        clock=FrozenClock(),
        ids=CountingIds(),
    )


async def test_a_receipt_tells_pages_chunks_vectors_and_the_probes_rank() -> None:
    receipt = await indexer(MemoryKnowledgeStore(), LetterEmbedder()).add(PAGES)
    assert (receipt.document.pages, receipt.document.chunks) == (3, 1)
    assert (receipt.embedded, receipt.probe_rank, receipt.status) == (1, 1, "indexed")


async def test_titles_are_embedded_with_the_chunks() -> None:
    embedder = LetterEmbedder()
    await indexer(MemoryKnowledgeStore(), embedder).add(PAGES)
    assert embedder.embedded[0].startswith("Livre\nUne page.")


async def test_a_document_removed_while_it_is_embedded_is_told_as_gone() -> None:
    store = MemoryKnowledgeStore()

    class Removing(LetterEmbedder):
        async def embed(self, *asked: object) -> list[list[float]]:
            [document] = await store.documents()
            await store.remove(document.id)
            return await super().embed(*asked)

    with pytest.raises(DocumentGoneError) as caught:
        await indexer(store, Removing()).add(LONG)
    assert caught.value.data == {"title": "Long"}


async def test_a_document_whose_vectors_were_dropped_meanwhile_waits() -> None:
    store = MemoryKnowledgeStore()

    class Forgetting(LetterEmbedder):
        async def embed(self, *asked: object) -> list[list[float]]:
            await store.forget_vectors()
            return await super().embed(*asked)

    receipt = await indexer(store, Forgetting()).add(LONG)
    assert (receipt.status, receipt.embedded) == ("waiting", 0)


async def test_vectors_are_kept_batch_by_batch() -> None:
    store, embedder = MemoryKnowledgeStore(), LetterEmbedder()
    batches: list[int] = []
    save = store.save_vectors

    async def noted(document_id, key, vectors):
        batches.append(len(vectors))
        await save(document_id, key, vectors)

    store.save_vectors = noted
    await indexer(store, embedder).add(LONG)
    assert batches == [BATCH] * 3


def test_the_recipe_names_the_chunk_size_and_the_analyser() -> None:
    assert indexer(MemoryKnowledgeStore(), LetterEmbedder()).recipe == "300/words"
