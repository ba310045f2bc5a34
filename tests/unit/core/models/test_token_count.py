import pytest

from palabre.core.models.token_count import estimated_tokens


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2)])
def test_a_token_is_some_four_bytes(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


def test_letters_beyond_ascii_and_half_characters_count() -> None:
    assert estimated_tokens("éééé") == 2
    assert estimated_tokens("\ud800") == 1
