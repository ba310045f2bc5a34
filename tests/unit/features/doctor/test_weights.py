"""Weights that are absent matter only where they would be used."""

import pytest

from palabre.core.telemetry.checkup import State, Value
from palabre.features.doctor.weights import CHECK
from palabre.testing.surroundings import GivenSurroundings

ABSENT = {"weights": State(ok=False)}


async def test_absent_weights_are_a_warning_because_the_first_start_fetches_them() -> None:
    assert (await CHECK.run(GivenSurroundings(ABSENT))).level == "warning"


@pytest.mark.parametrize(
    "settings",
    [{"models.embedded.enabled": False}, {"models.provider": "ollama"}],
)
async def test_absent_weights_do_not_matter_where_they_are_not_used(
    settings: dict[str, Value],
) -> None:
    finding = await CHECK.run(GivenSurroundings(ABSENT, settings))
    assert finding.level == "good"
    assert finding.fix is None
