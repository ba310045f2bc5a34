"""A voice that is absent matters only where personas are to be heard."""

import pytest

from palabre.core.telemetry.checkup import State
from palabre.features.doctor.speech import CHECK
from palabre.testing.surroundings import GivenSurroundings


@pytest.mark.parametrize(
    ("enabled", "here", "level", "code"),
    [
        (True, True, "good", "doctor.speech.good"),
        (True, False, "warning", "doctor.speech.bad"),
        (False, False, "good", "doctor.speech.off"),
    ],
)
async def test_an_absent_voice_is_a_warning_where_it_would_be_heard(
    enabled: bool, here: bool, level: str, code: str
) -> None:
    machine = GivenSurroundings({"voices": State(ok=here)}, {"speech.enabled": enabled})
    finding = await CHECK.run(machine)
    assert (finding.level, finding.found.code) == (level, code)
