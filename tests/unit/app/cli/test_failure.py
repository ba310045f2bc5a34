"""How the command line fails."""

from pathlib import Path

import pytest

from palabre.app.cli.failure import FAILED, tell, tell_unexpected
from palabre.app.settings import Settings
from palabre.kernel.errors import SetupError


def test_an_error_of_ours_is_one_message_and_exit_code_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert tell(SetupError()) == FAILED
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_an_error_of_ours_that_a_task_group_wrapped_is_told_as_itself(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrapped = ExceptionGroup("tasks", [ExceptionGroup("inner", [SetupError()])])
    assert tell(wrapped) == FAILED
    alone = capsys.readouterr().err
    tell(SetupError())
    assert alone == capsys.readouterr().err


def test_an_unexpected_error_leaves_its_trace_in_the_log_and_shows_a_reference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    with pytest.raises(ZeroDivisionError) as caught:
        _ = 1 / 0
    assert tell_unexpected(caught.value, settings) == FAILED
    log = (tmp_path / "data" / "logs" / "errors.log").read_text()
    reference = log.split()[1]
    assert "Traceback" in log
    told = capsys.readouterr().err
    assert reference in told
    assert "Traceback" not in told
