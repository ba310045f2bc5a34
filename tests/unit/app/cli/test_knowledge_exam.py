import pytest

from palabre.app.cli.knowledge_exam import Report, document_exam, print_exam
from palabre.app.cli.knowledge_intake import Intake
from palabre.app.settings import Settings
from palabre.core.knowledge.errors import ExamEmptyError
from palabre.core.knowledge.grading import Grades
from palabre.core.knowledge.model import SourceText
from palabre.core.knowledge.service import KnowledgeRules, KnowledgeService
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.knowledge import LetterEmbedder, MemoryKnowledgeStore, WordAnalyser

GRADES = Grades({1: 0.5, 5: 0.75}, 0.6)


def service() -> KnowledgeService:
    return KnowledgeService(
        MemoryKnowledgeStore(),
        WordAnalyser(),
        LetterEmbedder(),
        rules=KnowledgeRules(),
        clock=FrozenClock(),
        ids=CountingIds(),
    )


def test_grades_are_a_table_for_people_and_data_for_programs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = Report(4, 2, 3, "fake/letters", {"words": GRADES, "hybrid": GRADES})
    print_exam(report, "en")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "4 questions over 2 texts (3 passages), vectors of fake/letters."
    assert lines[1].split() == ["ranking", "recall@1", "recall@5", "nDCG@10"]
    assert lines[2].split()[-3:] == ["0.500", "0.750", "0.600"]
    assert report.as_data()["grades"] == {
        mode: {"recall@1": 0.5, "recall@5": 0.75, "ndcg@10": 0.6} for mode in ("words", "hybrid")
    }


async def test_ones_own_documents_are_examined_at_the_depth_that_is_asked_for() -> None:
    own = service()
    intake = Intake(Settings(), quiet=True)
    with pytest.raises(ExamEmptyError):
        await document_exam(own, 5, intake)
    await own.add(SourceText("s", "Moka", "Le chat Moka dort sur la presse froide."))
    report = await document_exam(own, 7, intake)
    assert report.questions == 1
    assert list(report.grades["hybrid"].recall) == [1, 2, 5, 7]
