import pytest

from palabre.app.cli.long_work import bar


def test_nothing_is_drawn_where_no_terminal_is(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("Reading") as told:
        told(1, 3)
        told(3, 3)
    assert capsys.readouterr() == ("", "")
