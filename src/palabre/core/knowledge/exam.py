"""Examine the search: questions whose answer is known, asked in every way."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from palabre.core.knowledge.chunking import sentences
from palabre.core.knowledge.grading import NDCG_DEPTH, Grades, grade
from palabre.core.knowledge.model import Match, SearchMode
from palabre.core.knowledge.ports import Analyser, KnowledgeStore
from palabre.core.knowledge.search import Searcher

MODES: tuple[SearchMode, ...] = ("words", "vectors", "hybrid")
DEPTHS = (1, 2, 5)
MADE_QUESTIONS = 200
"""Questions that are made from a user's own documents at the most."""

KEPT_TERMS = 5
MIN_TERMS = 3

OnAsked = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ExamQuestion:
    """A question with one answer.

    Attributes:
        source: Of the document that holds the answer.
        evidence: Words of the passage that answers.
        kind: How it was made; any word.
    """

    text: str
    source: str
    evidence: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ExamText:
    """A document of an exam; *name* is what its questions call it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Exam:
    """Documents, and questions about them."""

    texts: tuple[ExamText, ...]
    questions: tuple[ExamQuestion, ...]


async def sit(
    searcher: Searcher,
    questions: Sequence[ExamQuestion],
    depths: Collection[int],
    on_asked: OnAsked,
) -> dict[SearchMode, Grades]:
    """Ask each question in every mode; return the grades by mode.

    Raises:
        UpstreamError: No embedder answers.
    """
    places: dict[SearchMode, list[int | None]] = {mode: [] for mode in MODES}
    depth = max(NDCG_DEPTH, *depths)
    for number, question in enumerate(questions):
        on_asked(number, len(questions))
        for mode in MODES:
            asked = await searcher.ask(question.text, mode)
            places[mode].append(_place(question, await searcher.search(asked, depth)))
    on_asked(len(questions), len(questions))
    return {mode: grade(found, depths) for mode, found in places.items()}


def _place(question: ExamQuestion, matches: Sequence[Match]) -> int | None:
    for place, match in enumerate(matches, 1):
        passage = match.passage
        if passage.source == question.source and question.evidence in passage.text:
            return place
    return None


async def questions_about(store: KnowledgeStore, analyser: Analyser) -> list[ExamQuestion]:
    """Make a question of one sentence of each chunk, of `MADE_QUESTIONS` chunks at the most."""
    chunks = [
        (document.source, chunk.text)
        for document in await store.documents()
        for chunk in await store.chunks(document.id)
    ]
    return await asyncio.to_thread(_made, chunks, analyser)


def _made(chunks: Sequence[tuple[str, str]], analyser: Analyser) -> list[ExamQuestion]:
    frequency = Counter(term for _, text in chunks for term in set(analyser.terms(text)))
    every = max(len(chunks) // MADE_QUESTIONS, 1)
    made = [_question(*chunk, analyser, frequency) for chunk in chunks[::every]]
    return [each for each in made if each is not None][:MADE_QUESTIONS]


def _question(
    source: str, text: str, analyser: Analyser, frequency: Counter[str]
) -> ExamQuestion | None:
    """Keep the rarest words of the sentence of *text* that says most, in another order."""
    told = max(sentences(text), key=lambda each: len(set(analyser.terms(each))))
    words = {word: terms for word in told.split() if (terms := analyser.terms(word))}
    by_rarity = sorted(words, key=lambda word: (frequency[words[word][0]], word.casefold()))
    rarest = by_rarity[:KEPT_TERMS]
    if len(rarest) < MIN_TERMS:
        return None
    asked = " ".join(word.strip("«»\"'.,;:!?()[]…*#`").casefold() for word in rarest)
    return ExamQuestion(f"{asked} ?", source, told, "made")
