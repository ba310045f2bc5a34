"""How far a download is, where nobody watches a terminal."""

import logging
from collections.abc import AsyncGenerator

import pytest

from palabre.app.cli.progress import show_pull
from palabre.core.models.model import PullProgress


async def pulled(*done_bytes: int) -> AsyncGenerator[PullProgress]:
    yield PullProgress("looking")
    for each in done_bytes:
        yield PullProgress("small", each, 1000)


async def test_a_log_gets_a_line_each_ten_percent(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        await show_pull(pulled(0, 10, 99, 100, 350, 355, 1000))
    assert caplog.messages == ["small: 0 %", "small: 10 %", "small: 30 %", "small: 100 %"]


async def test_who_wants_quiet_gets_nothing(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.INFO):
        await show_pull(pulled(10, 1000), quiet=True)
    assert not caplog.messages
    assert capsys.readouterr().err.strip() == ""
