"""Take documents in: keep the text, cut it, find it by words, then by meaning.

Each step is one change of the store, so that an end at any moment leaves nothing half done:

    kept (pending) -> published: found by its words -> complete: found by its meaning too
"""

import asyncio
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace

from palabre.core.knowledge.chunking import cut, sentences
from palabre.core.knowledge.errors import (
    DocumentGoneError,
    DocumentTooLongError,
    NothingToIndexError,
)
from palabre.core.knowledge.model import (
    MAX_DOCUMENT_CHARS,
    Document,
    EmbedderKey,
    IndexedChunk,
    Receipt,
    ReceiptStatus,
    SourceText,
)
from palabre.core.knowledge.ports import Analyser, KnowledgeStore, TextEmbedder
from palabre.core.knowledge.search import Searcher
from palabre.kernel.clock import Clock
from palabre.kernel.errors import UpstreamError
from palabre.kernel.ids import Ids

BATCH = 8
"""Chunks that are embedded, and then kept, at once."""

PROBE_DEPTH = 10

OnProgress = Callable[[int, int], None]
"""Is told how many chunks have their vector, and of how many."""

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")


def no_progress(done: int, total: int) -> None:
    """Tell nobody."""


class Indexer:
    """Takes documents into a store.

    Args:
        chunk_chars: Longest chunk.
    """

    def __init__(
        self,
        store: KnowledgeStore,
        analyser: Analyser,
        embedder: TextEmbedder,
        searcher: Searcher,
        *,
        chunk_chars: int,
        clock: Clock,
        ids: Ids,
    ) -> None:
        self._store = store
        self._analyser = analyser
        self._embedder = embedder
        self._searcher = searcher
        self._chunk_chars = chunk_chars
        self._clock = clock
        self._ids = ids

    @property
    def recipe(self) -> str:
        """How chunks are made now."""
        return f"{self._chunk_chars}/{self._analyser.name}"

    async def add(self, text: SourceText, on_progress: OnProgress = no_progress) -> Receipt:
        """Keep *text* and index it.

        Once it is kept, whatever happens, it will be indexed: by this call or a later one.

        Raises:
            NothingToIndexError: There is nothing in it but white space.
            DocumentTooLongError: It has more than `MAX_DOCUMENT_CHARS`.
            DocumentGoneError: Somebody removed it meanwhile.
            StorageError: It cannot be kept.
        """
        started_s = self._clock.monotonic()
        text = await asyncio.to_thread(_checked, text)
        sha256 = await asyncio.to_thread(_sha256, text.text)
        document_id = await self._store.keep(
            self._ids.new("doc"), text, sha256, self.recipe, self._clock.now()
        )
        key = await self._key_or_none()
        before = await self._document(document_id, key, text.title)
        if before.embedded and before.recipe == self.recipe:
            return self._receipt(before, "unchanged", before.chunks, None, started_s)
        missing = await self.index(document_id, key, on_progress)
        document = await self._document(document_id, key, text.title)
        rank = await self._probe(document)
        status: ReceiptStatus = "waiting" if missing else "indexed"
        return self._receipt(document, status, document.chunks - missing, rank, started_s)

    async def index(
        self,
        document_id: str,
        key: EmbedderKey | None = None,
        on_progress: OnProgress = no_progress,
    ) -> int:
        """Do what is still to do for a document; return how many chunks wait for a vector.

        Without a *key*, its words alone are published.

        Raises:
            DocumentGoneError: It is not there.
            StorageError: The store fails.
        """
        document = await self._document(document_id, key)
        if document.is_pending or document.recipe != self.recipe:
            await self._publish(document)
            document = await self._document(document_id, key)
        if document.embedded:
            return 0
        if key is None:
            return document.chunks
        return await self._embed(document, key, on_progress)

    async def _publish(self, document: Document) -> None:
        text = await self._store.text(document.id)
        if text is None:
            raise DocumentGoneError(title=document.title)
        chunks = await asyncio.to_thread(self._chunks, text)
        if not await self._store.publish(document.id, chunks, self.recipe):
            raise DocumentGoneError(title=document.title)

    def _chunks(self, text: SourceText) -> list[IndexedChunk]:
        return [
            IndexedChunk(chunk, self._analyser.terms(f"{text.title}\n{chunk.text}"))
            for chunk in cut(text, self._chunk_chars)
        ]

    async def _embed(self, document: Document, key: EmbedderKey, on_progress: OnProgress) -> int:
        """Give each chunk its vector; return how many have none because the embedder failed."""
        missing = len(await self._store.unembedded(document.id, key, document.chunks))
        while missing:
            on_progress(document.chunks - missing, document.chunks)
            try:
                done = await self._embed_batch(document, key)
            except UpstreamError:
                return missing
            if not done:
                break
            missing -= done
        on_progress(document.chunks, document.chunks)
        if await self._store.complete(document.id, key):
            return 0
        # It is gone, or another process has dropped all vectors: `resume` makes them anew.
        return (await self._document(document.id, key, document.title)).chunks

    async def _embed_batch(self, document: Document, key: EmbedderKey) -> int:
        batch = await self._store.unembedded(document.id, key, BATCH)
        if not batch:
            return 0
        texts = [f"{document.title}\n{chunk.text}" for chunk in batch]
        vectors = await self._embedder.embed(key, texts, "passage")
        pairs = [(chunk.id, vector) for chunk, vector in zip(batch, vectors, strict=True)]
        await self._store.save_vectors(document.id, key, pairs)
        await self._store.touch(document.id, self._clock.now())
        return len(batch)

    async def _probe(self, document: Document) -> int | None:
        """Ask what the middle of *document* answers; return the place at which it does."""
        chunks = await self._store.chunks(document.id)
        if not chunks:
            return None
        middle = chunks[len(chunks) // 2]
        asked = await self._searcher.ask(max(sentences(middle.text), key=len))
        found = await self._searcher.search(asked, PROBE_DEPTH)
        return next(
            (rank for rank, each in enumerate(found, 1) if each.chunk_id == middle.id), None
        )

    async def _key_or_none(self) -> EmbedderKey | None:
        try:
            return await self._embedder.key()
        except UpstreamError:
            return None

    async def _document(
        self, document_id: str, key: EmbedderKey | None, title: str = ""
    ) -> Document:
        document = await self._store.document(document_id, key)
        if document is None:
            raise DocumentGoneError(title=title or document_id)
        return document

    def _receipt(
        self,
        document: Document,
        status: ReceiptStatus,
        embedded: int,
        probe_rank: int | None,
        started_s: float,
    ) -> Receipt:
        duration_s = self._clock.monotonic() - started_s
        return Receipt(document, status, embedded, probe_rank, duration_s)


def _checked(text: SourceText) -> SourceText:
    """Return *text* as it is kept: without what no database can hold."""
    if len(text.text) > MAX_DOCUMENT_CHARS:
        raise DocumentTooLongError(title=text.title, limit=MAX_DOCUMENT_CHARS)
    if not text.text.strip():
        raise NothingToIndexError(title=text.title)
    # One character for one: offsets of pages stay right.
    clean = _UNWRITABLE.sub("\ufffd", text.text)
    title = _UNWRITABLE.sub("\ufffd", text.title)
    return replace(text, text=clean, title=title)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
