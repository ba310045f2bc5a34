"""`palabre chat`: what it refuses before it connects."""

import pytest
from typer.testing import CliRunner

from palabre.app.cli.chat import app


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["ftp://there"], "ftp://there"),
        (["--nick", "not a nick"], "not a nick"),
        (["--lang", "xx"], "xx"),
    ],
)
def test_what_cannot_work_is_a_wrong_call_and_named(arguments: list[str], named: str) -> None:
    result = CliRunner().invoke(app, [*arguments, "--plain"])
    assert result.exit_code == 2
    assert named in result.stderr
