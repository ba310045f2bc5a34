"""The exam that comes along, with the real embedded embedder.

The weight of words in `core/knowledge/search.py` was chosen on the questions about every other
text. What is promised of it is asked of the others, which it has not seen.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from palabre.adapters.knowledge.exam_files import read_exam
from palabre.adapters.knowledge.files import named
from palabre.app.clock import SystemClock, SystemIds
from palabre.app.knowledge import opened_knowledge
from palabre.app.models import opened_registry
from palabre.app.settings import Settings
from palabre.core.knowledge.exam import Exam, ExamQuestion
from palabre.core.knowledge.grading import Grades
from palabre.core.knowledge.model import SearchMode

pytestmark = [pytest.mark.e2e, pytest.mark.model, pytest.mark.timeout(600)]

Graded = dict[SearchMode, Grades]


def held_out(exam: Exam) -> list[ExamQuestion]:
    """The questions that the weight was not chosen on."""
    seen = sorted({each.source for each in exam.questions})[::2]
    return [each for each in exam.questions if each.source not in seen]


async def graded(settings: Settings, exam: Exam, *asked: Sequence[ExamQuestion]) -> list[Graded]:
    async with (
        opened_registry(settings) as registry,
        opened_knowledge(settings, registry, SystemClock(), SystemIds()) as service,
    ):
        for each in exam.texts:
            await service.add(named(each.text, each.name, each.name))
        assert await service.embedder() == "embedded/multilingual-e5-small"
        return [await service.examine(questions) for questions in asked]


def test_both_together_find_no_less_than_the_better_of_words_and_meaning(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", models={"provider": "embedded"})
    exam = read_exam(settings.content_dir / "knowledge" / "exam")
    assert len(exam.questions) >= 60
    assert len(exam.texts) >= 40
    assert len(held_out(exam)) >= 60
    unseen, every = asyncio.run(graded(settings, exam, held_out(exam), exam.questions))
    for found in (unseen, every):
        for depth in (1, 2, 5):
            words, vectors = found["words"].recall[depth], found["vectors"].recall[depth]
            assert found["hybrid"].recall[depth] >= max(words, vectors), found
        assert found["hybrid"].ndcg >= max(found["words"].ndcg, found["vectors"].ndcg)
    assert every["hybrid"].recall[2] >= 0.85
