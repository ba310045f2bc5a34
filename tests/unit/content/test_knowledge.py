"""The manifesto, and the texts and questions that examine retrieval."""

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

KNOWLEDGE = Path(__file__).parents[3] / "content" / "knowledge"
EXAM = KNOWLEDGE / "exam"
MANIFESTO = ("manifeste.md", "manifeste_references_nouvelles.md")
VOCABULARY = (
    "musique concrète",
    "cyberféminisme",
    "crypto-anarchisme",
    "afrofuturisme",
    "demoscene",
)
KINDS = {"words", "paraphrase", "forms", "mixed"}
CHUNK_CHARS = 500
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    source: str
    evidence: str
    kind: str


def read_texts() -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in sorted((EXAM / "texts").glob("*.md"))}


def read_questions() -> list[Question]:
    tables = tomllib.loads((EXAM / "questions.toml").read_text("utf-8"))
    assert set(tables) == {"question"}
    return [Question(**table) for table in tables["question"]]


TEXTS = read_texts()
QUESTIONS = read_questions()
DOCUMENTS = sorted(KNOWLEDGE.rglob("*.md"))


def test_the_exam_is_large_enough() -> None:
    assert len(TEXTS) >= 40
    assert len(QUESTIONS) >= 60


def test_each_kind_has_its_share() -> None:
    counted = Counter(question.kind for question in QUESTIONS)
    assert set(counted) == KINDS
    assert min(counted.values()) >= 15, counted


def test_no_question_is_asked_twice() -> None:
    asked = Counter(" ".join(WORD.findall(question.text.casefold())) for question in QUESTIONS)
    assert [text for text, times in asked.items() if times > 1] == []


def test_questions_ask_about_every_text_and_no_other() -> None:
    assert {question.source for question in QUESTIONS} == set(TEXTS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.text)
def test_evidence_stands_once_on_one_line_of_its_source_alone(question: Question) -> None:
    assert 20 <= len(question.evidence) <= 200
    assert question.evidence == question.evidence.strip()
    assert "\n" not in question.evidence
    found = {slug: text.count(question.evidence) for slug, text in TEXTS.items()}
    assert {slug: times for slug, times in found.items() if times} == {question.source: 1}


def test_a_paraphrase_shares_few_words_with_its_evidence() -> None:
    for question in QUESTIONS:
        if question.kind == "paraphrase":
            shared = _long_words(question.text) & _long_words(question.evidence)
            assert len(shared) <= 1, (question.text, shared)


def _long_words(text: str) -> set[str]:
    return {word for word in WORD.findall(text.casefold()) if len(word) > 4}


def test_evidence_is_not_shared_between_questions() -> None:
    used = Counter((question.source, question.evidence) for question in QUESTIONS)
    assert [pair for pair, times in used.items() if times > 1] == []


@pytest.mark.parametrize("slug", TEXTS)
def test_a_text_has_one_title_and_a_modest_length(slug: str) -> None:
    first, *others = TEXTS[slug].splitlines()
    assert re.match(r"# \w", first)
    assert not [line for line in others if line.startswith("# ")]
    assert 150 <= len(TEXTS[slug].split()) <= 350
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug)


def test_no_two_texts_have_the_same_title_or_open_alike() -> None:
    titles = {text.splitlines()[0] for text in TEXTS.values()}
    openings = {" ".join(text.splitlines()[2].split()[:3]) for text in TEXTS.values()}
    assert len(titles) == len(openings) == len(TEXTS)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_a_chunk_holds_any_paragraph_whole(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert max(len(paragraph) for paragraph in text.split("\n\n")) <= CHUNK_CHARS


def test_questions_end_with_a_newline() -> None:
    assert (EXAM / "questions.toml").read_text("utf-8").endswith("\n")


@pytest.mark.parametrize("name", MANIFESTO)
def test_the_manifesto_is_short_and_has_headings(name: str) -> None:
    text = (KNOWLEDGE / name).read_text("utf-8")
    assert text.startswith("# ")
    assert text.count("\n## ") >= 3
    assert 450 <= len(text.split()) <= 700
    paragraphs = [part.strip() for part in text.split("\n\n") if not part.startswith("#")]
    assert {len(part) for part in paragraphs} <= set(range(200, 481))


def test_the_manifesto_speaks_the_vocabulary_of_the_project() -> None:
    text = (KNOWLEDGE / MANIFESTO[0]).read_text("utf-8").casefold()
    assert [word for word in VOCABULARY if word not in text] == []
