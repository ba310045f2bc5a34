"""A silent Ollama matters as much as nothing else answers."""

import pytest

from palabre.core.telemetry.checkup import State
from palabre.features.doctor.ollama import CHECK
from palabre.testing.surroundings import GivenSurroundings


@pytest.mark.parametrize(
    ("provider", "embedded", "level"),
    [
        ("auto", True, "warning"),
        ("auto", False, "failure"),
        ("ollama", False, "failure"),
        ("embedded", True, "warning"),
    ],
)
async def test_a_silent_ollama_is_a_failure_only_where_nothing_else_answers(
    provider: str, embedded: bool, level: str
) -> None:
    machine = GivenSurroundings(
        {"answers": State(ok=False)},
        {"models.provider": provider, "models.embedded.enabled": embedded},
    )
    assert (await CHECK.run(machine)).level == level
    assert machine.asked == {"answers": "http://ollama"}
