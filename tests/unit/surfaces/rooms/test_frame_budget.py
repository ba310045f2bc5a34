"""Large frames share the memory that there is for them."""

import pytest

from palabre.surfaces.rooms.frame_budget import LARGE_BYTES, FrameBudget, held_bytes
from palabre.wire import rooms as wire

MIB = 1024 * 1024


def test_what_is_given_back_can_be_taken_again() -> None:
    budget = FrameBudget(10)
    assert [budget.take(6), budget.take(6), budget.take(4)] == [True, False, True]
    budget.give_back(6)
    assert budget.left_bytes == 6


@pytest.mark.parametrize(
    ("frame", "least"),
    [
        (wire.SendMessage("a"), 0),
        (wire.SendUpload(), 0),
        (wire.SendUpload(data="A" * (LARGE_BYTES - 200)), 0),
        (wire.SendUpload(data="A" * 2 * MIB), 2 * MIB),
        (wire.SendUpload(data="A" * 2 * MIB + "\N{GRINNING FACE}"), 8 * MIB),
    ],
)
def test_large_frames_count_for_the_memory_that_they_hold(
    frame: wire.ClientFrame, least: int
) -> None:
    assert least <= held_bytes(frame) <= least + 1024
