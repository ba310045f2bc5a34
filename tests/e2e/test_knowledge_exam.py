"""The exam that comes along, with the real embedded embedder."""

import asyncio
from pathlib import Path

import pytest

from palabre.app.cli.knowledge_exam import shipped_exam
from palabre.app.cli.knowledge_intake import Intake
from palabre.app.settings import Settings
from palabre.core.knowledge.grading import Grades

pytestmark = [pytest.mark.e2e, pytest.mark.model, pytest.mark.timeout(600)]


def grades(tmp_path: Path) -> dict[str, Grades]:
    settings = Settings(
        data_dir=tmp_path / "data", models={"provider": "embedded"}, knowledge={"manifesto": False}
    )
    folder = settings.content_dir / "knowledge" / "exam"
    report = asyncio.run(shipped_exam(settings, folder, 5, Intake(settings, quiet=True)))
    assert report.embedder == "embedded/multilingual-e5-small"
    assert report.questions >= 60
    assert report.documents >= 40
    return dict(report.grades)


def test_both_together_find_no_less_than_the_better_of_words_and_meaning(tmp_path: Path) -> None:
    found = grades(tmp_path)
    for depth in (2, 5):
        words, vectors = found["words"].recall[depth], found["vectors"].recall[depth]
        assert found["hybrid"].recall[depth] >= max(words, vectors), found
    assert found["hybrid"].recall[2] >= 0.85
    assert found["hybrid"].ndcg >= max(found["words"].ndcg, found["vectors"].ndcg)
