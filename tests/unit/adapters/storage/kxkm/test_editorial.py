import json
from pathlib import Path
from typing import Any

import pytest

from palabre.adapters.storage.kxkm.editorial import judgement_in, leaning_of, things_in
from palabre.adapters.storage.kxkm.source import SourceFile

PERSONA = {"id": "moulin", "name": "Moulin", "model": "qwen3:8b"}


@pytest.mark.parametrize(
    ("content", "kinds"),
    [
        ([PERSONA, PERSONA], ["persona", "persona"]),
        ({"items": [PERSONA]}, ["persona"]),
        ({"moulin": PERSONA}, ["persona"]),
        (PERSONA, ["persona"]),
        ({"moulin": [{"personaId": "moulin", "kind": "vote", "message": "up"}]}, ["feedback"]),
        ([{"personaId": "m", "subjectName": "x"}], ["source"]),
        ([{"personaId": "m", "before": {}, "after": {}}], ["proposal"]),
        ([{"id": "g", "name": "G", "description": ""}], ["engine"]),
        ([{"id": "r", "graphId": "g"}], ["engine"]),
        ([{"username": "ana", "expiresAt": ""}], ["session"]),
        ([7, "x"], ["unknown", "unknown"]),
        ([], []),
    ],
)
def test_things_are_known_by_their_shapes(tmp_path: Path, content: Any, kinds: list[str]) -> None:
    (tmp_path / "a.json").write_text(json.dumps(content))
    found = list(things_in(SourceFile(tmp_path / "a.json", "v2-local/a.json")))
    assert [each.kind for each in found] == kinds
    assert [each.place for each in found] == [
        f"v2-local/a.json#{number}" for number in range(1, len(kinds) + 1)
    ]


@pytest.mark.parametrize("content", ["", "[", "[" * 10_000])
def test_what_is_no_json_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(ValueError):
        list(things_in(SourceFile(tmp_path / "a.json", "a.json")))


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ({"vote": "up", "response": "Oui."}, "up"),
        ({"type": "DOWN", "response": "Non."}, "down"),
        ({"signal": "pin", "response": "Oui."}, "pin"),
        ({"vote": "up", "response": " "}, None),
        ({"vote": "sideways", "response": "Oui."}, None),
        ({"message": json.dumps({"type": "vote", "vote": "up", "response": "Oui."})}, "up"),
    ],
)
def test_judgements_are_read_in_each_form(told: dict[str, str], verdict: str | None) -> None:
    found = judgement_in(json.dumps(told).encode())
    assert (found and found.verdict) == verdict
    assert judgement_in(b"{broken") is None


@pytest.mark.parametrize(
    ("message", "leaning"),
    [("+1", 1), ("-1 vraiment", -1), ("up", 1), ("DOWN", -1), ("👍", 1), ("bof", 0), ("updown", 0)],
)
def test_votes_in_plain_words_lean_one_way(message: str, leaning: int) -> None:
    assert leaning_of(message) == leaning
