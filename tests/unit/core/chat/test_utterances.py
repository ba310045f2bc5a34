"""Which of the things said are chosen."""

from datetime import UTC, datetime

import pytest

from palabre.core.chat.model import Utterance
from palabre.core.chat.utterances import newest_that_fit, summary_budget
from palabre.kernel.ids import ChannelName, Nick


def said(text: str) -> Utterance:
    return Utterance(datetime(2026, 3, 20, tzinfo=UTC), ChannelName("#here"), Nick("ana"), text)


@pytest.mark.parametrize(
    ("budget", "kept"),
    [(-1, []), (0, []), (2, []), (3, ["ccc"]), (5, ["bb", "ccc"]), (99, ["a", "bb", "ccc"])],
)
def test_the_newest_that_fit_are_kept(budget: int, kept: list[str]) -> None:
    context = [said("a"), said("bb"), said("ccc")]
    assert [each.text for each in newest_that_fit(context, budget)] == kept


def test_an_utterance_that_does_not_fit_hides_all_before_it() -> None:
    context = [said("a"), said("b" * 10), said("c")]
    assert [each.text for each in newest_that_fit(context, 5)] == ["c"]


@pytest.mark.parametrize(("budget", "most"), [(4000, 2000), (400, 144), (256, 0), (0, 0)])
def test_a_summary_leaves_room_to_the_newest(budget: int, most: int) -> None:
    assert summary_budget(budget) == most
