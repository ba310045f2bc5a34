from dataclasses import replace
from datetime import UTC, datetime

import pytest

from palabre.app.cli.knowledge_tables import document_data, match_data, print_matches, state
from palabre.core.knowledge.model import Document, Match, Passage

NOON = datetime(2026, 3, 20, 12, tzinfo=UTC)
DOCUMENT = Document("doc_1", "s", "T", "ab", "r", NOON, 10, None, 0, embedded=False)
MATCH = Match(1, Passage("d", "T", "s", "un [b]mot[/b]", 3, 0.456), True, 2, None)


@pytest.mark.parametrize(
    ("chunks", "embedded", "expected"),
    [(0, False, "pending"), (3, False, "words"), (3, True, "ready")],
)
def test_a_document_is_pending_found_by_words_or_ready(
    chunks: int, embedded: bool, expected: str
) -> None:
    assert state(replace(DOCUMENT, chunks=chunks, embedded=embedded)) == expected


def test_programs_get_plain_values() -> None:
    assert document_data(DOCUMENT)["addedAt"] == "2026-03-20T12:00:00.000Z"
    assert match_data(MATCH, [MATCH.passage])["similarity"] == 0.456
    assert match_data(replace(MATCH, has_vector=False), ())["similarity"] is None
    assert match_data(MATCH, [MATCH.passage])["told"] is True
    assert match_data(MATCH, ())["told"] is False


def test_people_read_title_page_and_similarity(capsys: pytest.CaptureFixture[str]) -> None:
    print_matches([MATCH, replace(MATCH, has_vector=False)], [MATCH.passage], "en")
    out = capsys.readouterr().out
    assert "1. T, p. 3 · similarity 0.46 · told to personas\nun [b]mot[/b]\n" in out
    assert "2. T, p. 3 · similarity unknown" in out
