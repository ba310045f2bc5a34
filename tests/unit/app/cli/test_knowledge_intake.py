from datetime import UTC, datetime
from pathlib import Path

import pytest

from palabre.app.cli.knowledge_intake import Intake, Outcome, exit_code, print_summary
from palabre.app.settings import Settings
from palabre.core.knowledge.model import Document, Receipt
from palabre.kernel.text import text, verbatim

NOON = datetime(2026, 3, 20, 12, tzinfo=UTC)
DOCUMENT = Document("doc_1", "s", "T", "ab", "r", NOON, 10, None, 2, embedded=True)
INDEXED = Outcome("a", Receipt(DOCUMENT, "indexed", 2, 1, 0.5))
WAITING = Outcome("b", Receipt(DOCUMENT, "waiting", 0, 1, 0.5))
REFUSED = Outcome("c", refusal=verbatim("no"))


def test_the_exit_code_is_zero_only_when_everything_is_indexed() -> None:
    assert exit_code([INDEXED, INDEXED]) == 0
    assert exit_code([INDEXED, WAITING]) == 1
    assert exit_code([INDEXED, REFUSED]) == 1
    assert exit_code([]) == 1


def test_outcomes_are_data_for_programs() -> None:
    data = INDEXED.as_data("en")
    assert (data["status"], data["probeRank"], data["seconds"]) == ("indexed", 1, 0.5)
    assert REFUSED.as_data("en") == {"name": "c", "status": "refused", "reason": "no"}


def test_several_outcomes_are_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary([INDEXED], "en")
    assert capsys.readouterr().out == ""
    print_summary([INDEXED, WAITING, REFUSED], "en")
    assert capsys.readouterr().out == "1 indexed, 0 unchanged, 1 waiting, 1 refused.\n"


async def test_a_file_that_is_no_document_is_refused_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "a.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 32)
    program = tmp_path / "b.exe"
    program.write_bytes(b"MZ\0\0")
    intake = Intake(Settings(language="en"))
    await intake.take_files(None, [picture, program], "")  # type: ignore[arg-type]
    assert [each.status for each in intake.outcomes] == ["refused", "refused"]
    out = capsys.readouterr().out
    assert str(picture) in out
    assert str(program) in out


def test_a_bar_takes_any_name() -> None:
    with Intake(Settings(), quiet=True).progress("[/b] x") as on_progress:
        on_progress(1, 2)
    assert text("cli.knowledge.indexing").code == "cli.knowledge.indexing"
