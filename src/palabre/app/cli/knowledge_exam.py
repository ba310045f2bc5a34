"""Hold an exam of the search, and print its grades."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from palabre.adapters.knowledge.exam_files import read_exam
from palabre.adapters.knowledge.files import named
from palabre.app.cli.console import plain_console
from palabre.app.cli.knowledge_intake import Intake
from palabre.app.clock import SystemClock, SystemIds
from palabre.app.knowledge_parts import opened_service
from palabre.app.models import opened_registry
from palabre.app.settings import Settings
from palabre.core.knowledge.errors import ExamEmptyError
from palabre.core.knowledge.exam import DEPTHS, ExamQuestion
from palabre.core.knowledge.grading import Grades
from palabre.core.knowledge.model import SearchMode
from palabre.core.knowledge.service import KnowledgeService
from palabre.kernel.text import text
from palabre.texts import Language, say


@dataclass(frozen=True, slots=True)
class Report:
    """What an exam found; *grades* by mode."""

    questions: int
    documents: int
    chunks: int
    embedder: str
    grades: Mapping[SearchMode, Grades]

    def as_data(self) -> dict[str, object]:
        """Return the report for programs."""
        grades = {
            mode: {f"recall@{depth}": round(share, 4) for depth, share in each.recall.items()}
            | {"ndcg@10": round(each.ndcg, 4)}
            for mode, each in self.grades.items()
        }
        return {
            "questions": self.questions,
            "documents": self.documents,
            "chunks": self.chunks,
            "embedder": self.embedder,
            "grades": grades,
        }


async def shipped_exam(settings: Settings, folder: Path, depth: int, intake: Intake) -> Report:
    """Index the texts in *folder* in a database of their own and ask their questions.

    Raises:
        ExamUnreadableError: There is no exam.
        UpstreamError: No embedder answers.
    """
    exam = read_exam(folder)
    with tempfile.TemporaryDirectory(prefix="palabre-exam-") as own:
        async with (
            opened_registry(settings) as registry,
            opened_service(settings, registry, SystemClock(), SystemIds(), Path(own)) as service,
        ):
            await service.embedder()
            with intake.progress() as on_progress:
                for number, each in enumerate(exam.texts):
                    await service.add(named(each.text, each.name, each.name))
                    on_progress(number + 1, len(exam.texts))
            return await _report(service, exam.questions, depth, intake)


async def document_exam(service: KnowledgeService, depth: int, intake: Intake) -> Report:
    """Ask questions made from the documents that are there.

    Raises:
        ExamEmptyError: There are none.
        UpstreamError: No embedder answers.
    """
    questions = await service.questions()
    if not questions:
        raise ExamEmptyError
    return await _report(service, questions, depth, intake)


def print_exam(report: Report, language: Language) -> None:
    """Print *report* as a table."""
    about = text(
        "cli.knowledge.exam.about",
        questions=report.questions,
        documents=report.documents,
        chunks=report.chunks,
        embedder=report.embedder,
    )
    console = plain_console()
    console.print(say(about, language), soft_wrap=True)
    table = Table(box=None, header_style="bold")
    table.add_column(say(text("cli.knowledge.column.ranking"), language))
    for depth in next(iter(report.grades.values())).recall:
        table.add_column(f"recall@{depth}", justify="right")
    table.add_column("nDCG@10", justify="right")
    for mode, grades in report.grades.items():
        shares = [*grades.recall.values(), grades.ndcg]
        name = say(text(f"cli.knowledge.exam.{mode}"), language)
        table.add_row(name, *(f"{share:.3f}" for share in shares))
    console.print(table)


async def _report(
    service: KnowledgeService, questions: Sequence[ExamQuestion], depth: int, intake: Intake
) -> Report:
    depths = sorted({*DEPTHS, depth})
    with intake.progress() as on_progress:
        grades = await service.examine(questions, depths, on_progress)
    documents = await service.documents()
    chunks = sum(each.chunks for each in documents)
    return Report(len(questions), len(documents), chunks, await service.embedder(), grades)
