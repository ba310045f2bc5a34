import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from rich.table import Table

from palabre.app.cli.console import plain_console, shown_json, shown_minute

EVIL = "\x1b[2Jnom\x9b31m\r\x07 \u202egnp.exe \ud83d [red]a[/red] :bee: fran\u00e7ais\u202f!"
SHOWN = "\\x1b[2Jnom\\x9b31m\\r\\x07 \\u202egnp.exe \\ud83d [red]a[/red] :bee: français\u202f!"


def test_what_a_terminal_would_obey_is_shown_instead(capsys: pytest.CaptureFixture[str]) -> None:
    plain_console().print(EVIL, soft_wrap=True)
    assert capsys.readouterr().out == SHOWN + "\n"


def test_it_is_shown_in_tables_and_errors_too(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(EVIL, box=None)
    table.add_row(EVIL)
    plain_console(stderr=True).print(table, width=200)
    assert [line.strip() for line in capsys.readouterr().err.splitlines()] == [SHOWN, SHOWN]


def test_programs_read_in_json_what_was_written_and_terminals_obey_nothing() -> None:
    written = shown_json({"é": EVIL})
    assert json.loads(written) == {"é": EVIL}
    assert '"é"' in written
    assert not set(written) & {"\x1b", "\x9b", "\r", "\x07", "\u202e", "\ud83d"}


def test_a_moment_is_shown_to_the_minute_in_the_zone_of_its_readers() -> None:
    at = datetime(2026, 3, 20, 22, 59, 58, tzinfo=UTC)
    assert shown_minute(at, timezone(timedelta(hours=2))) == "2026-03-21 00:59"
