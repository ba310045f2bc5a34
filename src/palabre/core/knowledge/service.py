"""The knowledge of an installation: what personas find, and the work behind it."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from palabre.core.knowledge.embedding import IndexEmbedder
from palabre.core.knowledge.errors import (
    AmbiguousDocumentError,
    DocumentGoneError,
    UnknownDocumentError,
)
from palabre.core.knowledge.exam import DEPTHS, ExamQuestion, questions_about, sit
from palabre.core.knowledge.grading import Grades
from palabre.core.knowledge.indexing import Indexer, OnProgress, no_progress
from palabre.core.knowledge.model import (
    Document,
    EmbedderKey,
    Match,
    Passage,
    Receipt,
    SearchMode,
    SourceText,
)
from palabre.core.knowledge.ports import Analyser, KnowledgeStore, WishedEmbedder
from palabre.core.knowledge.questions import Questions
from palabre.core.knowledge.search import Searcher
from palabre.kernel.clock import Clock
from palabre.kernel.errors import PalabreError, UpstreamError
from palabre.kernel.ids import Ids

UNTOUCHED_S = 60.0
"""After so long without a sign, work on a document counts as given up, and is taken over."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KnowledgeRules:
    """How documents are cut and what of them is told (seed 000 §6).

    Attributes:
        chunk_chars: Longest chunk.
        max_results: Passages that a persona is told; 0 tells none.
        min_similarity: Least cosine of question and passage.
    """

    chunk_chars: int = 500
    max_results: int = 2
    min_similarity: float = 0.3


@dataclass(frozen=True, slots=True)
class Standing:
    """How the documents are.

    Attributes:
        documents: How many there are.
        waiting: How many are not found by their meaning yet.
        embedder: Model by whose vectors they are found; empty before the first.
        answers: Whether it, or one to choose, is installed and in reach.
    """

    documents: int
    waiting: int
    embedder: str
    answers: bool


class KnowledgeService:
    """`PassageFinder` over a store, with all that is done to its documents."""

    def __init__(
        self,
        store: KnowledgeStore,
        analyser: Analyser,
        embedder: WishedEmbedder,
        *,
        rules: KnowledgeRules,
        clock: Clock,
        ids: Ids,
    ) -> None:
        self._store = store
        self._analyser = analyser
        self._embedder = IndexEmbedder(store, embedder)
        self._rules = rules
        self._clock = clock
        self._searcher = Searcher(store, analyser, Questions(self._embedder))
        self._indexer = Indexer(
            store,
            analyser,
            self._embedder,
            self._searcher,
            chunk_chars=rules.chunk_chars,
            clock=clock,
            ids=ids,
        )

    async def find(self, question: str) -> Sequence[Passage]:
        """Return what personas are told, as `PassageFinder` promises."""
        limit = self._rules.max_results
        try:
            if not limit or not await self._store.count_searched():
                return ()
            asked = await self._searcher.ask(question)
            return await self._searcher.near(asked, limit, self._rules.min_similarity)
        except PalabreError as error:
            _log.warning("documents cannot be searched: %s %s", error.code, error.data)
            return ()

    async def add(self, text: SourceText, on_progress: OnProgress = no_progress) -> Receipt:
        """Take *text* in; see `Indexer.add`."""
        return await self._indexer.add(text, on_progress)

    async def documents(self) -> list[Document]:
        """Return all documents; `embedded` tells about the chosen embedder."""
        return await self._store.documents(await self._embedder.chosen())

    async def named(self, name: str) -> Document:
        """Return the document whose id, title or source is *name*.

        Raises:
            UnknownDocumentError: There is none.
            AmbiguousDocumentError: There are several of this title.
        """
        documents = await self.documents()
        exact = [each for each in documents if name in {each.id, each.source}]
        found = exact or [each for each in documents if each.title.casefold() == name.casefold()]
        if not found:
            raise UnknownDocumentError(name=name)
        if len(found) > 1:
            raise AmbiguousDocumentError(name=name, ids=", ".join(each.id for each in found))
        return found[0]

    async def text(self, document: Document) -> str:
        """Return the whole text of *document*.

        Raises:
            DocumentGoneError: It was removed meanwhile.
        """
        text = await self._store.text(document.id)
        if text is None:
            raise DocumentGoneError(title=document.title)
        return text.text

    async def remove(self, document: Document) -> None:
        """Remove *document*; harmless when it is gone already."""
        await self._store.remove(document.id)

    async def search(self, question: str, mode: SearchMode, limit: int) -> list[Match]:
        """Return the best *limit* passages, however far they are from *question*.

        Raises:
            UpstreamError: No embedder answers, in the mode `vectors`.
        """
        return await self._searcher.search(await self._searcher.ask(question, mode), limit)

    async def reindex(self, on_progress: OnProgress = no_progress) -> int:
        """Choose the embedder and embed every document anew; cut it anew where the rules changed.

        Returns how many still wait for the embedder. It drops nothing while none answers.

        What is found by words stays found meanwhile. What an end on the way leaves undone is for
        `resume`.
        """
        await self._claim(await self._store.documents())
        key = await self._chosen_anew()
        waiting, claimed_s = 0, self._clock.monotonic()
        left = await self._store.documents()
        while left:
            waiting += bool(await self._finish(left.pop(0).id, key, on_progress))
            if self._clock.monotonic() - claimed_s > UNTOUCHED_S / 2:
                await self._claim(left)
                claimed_s = self._clock.monotonic()
        return waiting

    async def _claim(self, documents: Collection[Document]) -> None:
        """Let other processes leave *documents* to this one for a while: see `resume`."""
        for document in documents:
            await self._store.touch(document.id, self._clock.now())

    async def resume(self) -> int:
        """Go on with what was left unfinished; return how many documents could not be finished.

        Those on which another process works now are left to it, and those that only want vectors
        to a time when the embedder is here.
        """
        await self._embedder.follow_setting()
        key = await self._key_or_none() if await self._embedder.is_here() else None
        before = self._clock.now() - timedelta(seconds=UNTOUCHED_S)
        left = await self._store.unfinished(self._indexer.recipe, key, before)
        missing = [await self._finish(each, key) for each in left]
        return sum(map(bool, missing))

    async def prepare(self) -> None:
        """Have the vectors at hand before somebody asks."""
        key = await self._key_or_none()
        if key is not None:
            await self._store.nearest(key, [0.0] * key.dimensions, 1)

    async def count_documents(self) -> int:
        """Return how many documents are searched."""
        return await self._store.count_searched()

    async def standing(self) -> Standing:
        """Return how the documents are; changes nothing."""
        documents = await self.documents()
        waiting = sum(not each.embedded for each in documents)
        key = await self._embedder.chosen()
        answers = await self._embedder.is_here()
        return Standing(len(documents), waiting, key.ref if key else "", answers)

    async def embedder(self) -> str:
        """Let the chosen model make a vector, and return its name.

        Raises:
            UpstreamError: It does not, or there is none to choose.
        """
        return (await self._embedder.try_out()).ref

    async def examine(
        self,
        questions: Sequence[ExamQuestion],
        depths: Collection[int] = DEPTHS,
        on_asked: OnProgress = no_progress,
    ) -> dict[SearchMode, Grades]:
        """Ask *questions* in every mode; see `exam.sit`."""
        return await sit(self._searcher, questions, depths, on_asked)

    async def questions(self) -> list[ExamQuestion]:
        """Make questions of the documents that are here."""
        return await questions_about(self._store, self._analyser)

    async def _finish(
        self, document_id: str, key: EmbedderKey | None, on_progress: OnProgress = no_progress
    ) -> int:
        try:
            return await self._indexer.index(document_id, key, on_progress)
        except DocumentGoneError:
            return 0

    async def _chosen_anew(self) -> EmbedderKey | None:
        """Choose and drop all vectors; None, and nothing dropped, where no embedder answers."""
        try:
            await self._embedder.choose()
            key = await self._embedder.try_out()
        except UpstreamError:
            return None
        await self._store.forget_vectors()
        return key

    async def _key_or_none(self) -> EmbedderKey | None:
        try:
            return await self._embedder.key()
        except UpstreamError as error:
            _log.info("no embedder: %s %s", error.code, error.data)
            return None
