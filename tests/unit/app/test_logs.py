"""The log, as its readers get it."""

import json
import logging
from contextlib import redirect_stderr
from io import StringIO
from typing import Literal

import pytest

from palabre.app.logs import configure_logs

OURS = logging.getLogger("palabre.core.chat.reply")


def test_json_is_one_object_a_line_with_all_that_is_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logs("info", "json")
    OURS.error("reply of %s failed", "Batty", extra={"reference": "error_1"})
    captured = capsys.readouterr()
    line = json.loads(captured.err)
    assert line["event"] == "reply of Batty failed"
    assert line["reference"] == "error_1"
    assert line["level"] == "error"
    assert line["logger"] == "palabre.core.chat.reply"
    assert not captured.out


def test_text_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("info", "text")
    OURS.info("Palabre listens")
    assert "Palabre listens" in capsys.readouterr().err


def test_what_is_less_than_the_level_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("warning", "text")
    OURS.info("nobody asks")
    assert not capsys.readouterr().err


def test_libraries_that_talk_much_are_heard_from_warnings_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logs("debug", "text")
    logging.getLogger("httpx2").info("HTTP Request")
    logging.getLogger("uvicorn.error").info("Started server process")
    OURS.debug("ours")
    told = capsys.readouterr().err
    assert "HTTP Request" not in told
    assert "Started server process" not in told
    assert "ours" in told


def test_lines_go_to_what_standard_error_is_at_that_moment(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logs("info", "text")
    with redirect_stderr(StringIO()) as bar:
        OURS.info("above the bar")
    assert "above the bar" in bar.getvalue()
    assert not capsys.readouterr().err


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_traceback_does_not_show_what_variables_hold(
    form: Literal["text", "json"], capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logs("info", form)
    said = "between" + "ourselves"
    try:
        {}[len(said)]
    except KeyError:
        OURS.exception("reply failed")
    told = capsys.readouterr().err
    assert "KeyError" in told
    assert "test_a_traceback_does_not_show" in told
    assert "betweenourselves" not in told
