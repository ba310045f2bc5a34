"""A port that is taken matters, unless it is Palabre that has it."""

import pytest

from palabre.core.telemetry.checkup import State
from palabre.features.doctor.port import CHECK
from palabre.testing.surroundings import GivenSurroundings


@pytest.mark.parametrize(
    ("free", "ours", "level", "code"),
    [
        (True, False, "good", "doctor.port.good"),
        (False, True, "good", "doctor.port.ours"),
        (False, False, "failure", "doctor.port.bad"),
    ],
)
async def test_a_taken_port_is_a_failure_unless_palabre_has_it(
    free: bool, ours: bool, level: str, code: str
) -> None:
    machine = GivenSurroundings({"can_listen": State(ok=free), "is_palabre": State(ok=ours)})
    finding = await CHECK.run(machine)
    assert (finding.level, finding.found.code) == (level, code)
