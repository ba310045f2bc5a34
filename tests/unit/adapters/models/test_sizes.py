import pytest

from palabre.adapters.models.sizes import believable, guessed_parameters, scaled


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("Qwen2.5-1.5B-Instruct-Q4_K_M", 1_500_000_000),
        ("qwen3:8b", 8_000_000_000),
        ("SmolLM2-135M-Instruct", 135_000_000),
        ("org/Mixtral-8x7B", None),
        ("gpt-oss", None),
        ("model-4bit", None),
        (f"model-{'9' * 400}b", None),
    ],
)
def test_a_name_may_tell_the_number_of_weights(name, parameters):
    assert guessed_parameters(name) == parameters


@pytest.mark.parametrize("size", ["1e999", "-1", "nan", "inf", "", "many"])
def test_a_size_beyond_belief_is_unknown(size):
    assert scaled(size, 1e9) is None


@pytest.mark.parametrize(
    ("told", "count"), [(0, 0), (7, 7), (-1, None), (10**400, None), (True, None), ("7", None)]
)
def test_only_a_number_of_things_is_believed(told, count):
    assert believable(told) == count
