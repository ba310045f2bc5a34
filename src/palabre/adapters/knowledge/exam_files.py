"""An exam in files: `texts/*.md`, and `questions.toml` with a table for each question."""

import tomllib
from pathlib import Path

from palabre.adapters.knowledge.errors import ExamUnreadableError
from palabre.core.knowledge.exam import Exam, ExamQuestion, ExamText


def read_exam(folder: Path) -> Exam:
    """Return the exam in *folder*.

    Raises:
        ExamUnreadableError: It is not there, or makes no sense.
    """
    try:
        texts = [
            ExamText(path.stem, path.read_text("utf-8"))
            for path in sorted((folder / "texts").glob("*.md"))
        ]
        tables = tomllib.loads((folder / "questions.toml").read_text("utf-8"))
        questions = [_question(table) for table in tables["question"]]
    except OSError as fault:
        detail = f"{fault.strerror}: {fault.filename}"
        raise ExamUnreadableError(path=str(folder), detail=detail) from fault
    except (KeyError, TypeError, ValueError) as fault:
        raise ExamUnreadableError(path=str(folder), detail=str(fault)) from fault
    if not texts or not questions:
        raise ExamUnreadableError(path=str(folder), detail="0")
    return Exam(tuple(texts), tuple(questions))


def _question(table: dict[str, str]) -> ExamQuestion:
    return ExamQuestion(table["text"], table["source"], table["evidence"], table.get("kind", ""))
