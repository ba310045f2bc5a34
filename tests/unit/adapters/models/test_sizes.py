import pytest

from palabre.adapters.models.sizes import guessed_parameters


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("Qwen2.5-1.5B-Instruct-Q4_K_M", 1_500_000_000),
        ("qwen3:8b", 8_000_000_000),
        ("SmolLM2-135M-Instruct", 135_000_000),
        ("org/Mixtral-8x7B", None),
        ("gpt-oss", None),
        ("model-4bit", None),
    ],
)
def test_a_name_may_tell_the_number_of_weights(name, parameters):
    assert guessed_parameters(name) == parameters
