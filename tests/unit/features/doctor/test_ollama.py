"""A silent Ollama matters as much as nothing else answers."""

import pytest

from palabre.core.telemetry.checkup import State
from palabre.features.doctor.ollama import CHECK
from palabre.testing.surroundings import GivenSurroundings


@pytest.mark.parametrize(
    ("provider", "uses_embedded", "level"),
    [
        ("auto", True, "warning"),
        ("auto", False, "failure"),
        ("ollama", False, "failure"),
        ("embedded", True, "warning"),
    ],
)
async def test_a_silent_ollama_is_a_failure_only_where_nothing_else_answers(
    provider: str, uses_embedded: bool, level: str
) -> None:
    machine = GivenSurroundings(
        {"ollama": State(ok=False)}, provider=provider, uses_embedded=uses_embedded
    )
    assert (await CHECK.run(machine)).level == level
