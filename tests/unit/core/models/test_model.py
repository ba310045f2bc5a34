"""What a model's card says of it."""

import pytest

from palabre.core.models.model import SMALL_PARAMETERS, ModelInfo


def test_a_model_is_named_by_its_provider_and_its_own_name() -> None:
    assert ModelInfo("ollama", "qwen3:8b").ref == "ollama/qwen3:8b"


@pytest.mark.parametrize(
    ("parameters", "small"),
    [(500_000_000, True), (SMALL_PARAMETERS - 1, True), (SMALL_PARAMETERS, False), (None, False)],
)
def test_a_model_is_small_only_when_known_to_be(parameters: int | None, small: bool) -> None:
    assert ModelInfo("embedded", "m", parameters=parameters).is_small is small
