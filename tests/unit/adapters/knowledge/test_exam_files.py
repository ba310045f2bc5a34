from pathlib import Path

import pytest

from palabre.adapters.knowledge.errors import ExamUnreadableError
from palabre.adapters.knowledge.exam_files import read_exam

SHIPPED = Path(__file__).parents[4] / "content" / "knowledge" / "exam"
QUESTION = '[[question]]\ntext = "Qui ?"\nsource = "a"\nevidence = "Moka"\nkind = "words"\n'


def write(folder: Path, questions: str = QUESTION, text: str = "Moka") -> Path:
    (folder / "texts").mkdir()
    (folder / "texts" / "a.md").write_text(text, "utf-8")
    (folder / "questions.toml").write_text(questions, "utf-8")
    return folder


def test_an_exam_is_texts_and_questions(tmp_path: Path) -> None:
    exam = read_exam(write(tmp_path))
    assert [(each.name, each.text) for each in exam.texts] == [("a", "Moka")]
    assert (exam.questions[0].text, exam.questions[0].kind) == ("Qui ?", "words")


def test_the_exam_that_comes_along_can_be_read() -> None:
    exam = read_exam(SHIPPED)
    assert len(exam.texts) >= 40
    assert len(exam.questions) >= 60


@pytest.mark.parametrize(
    "questions", ["[[question]]\ntext = 'a'\n", "= nonsense", "", "question = 1"]
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, questions: str) -> None:
    with pytest.raises(ExamUnreadableError):
        read_exam(write(tmp_path, questions))


def test_a_folder_without_an_exam_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExamUnreadableError) as caught:
        read_exam(tmp_path)
    assert "questions.toml" in str(caught.value.data["detail"])
