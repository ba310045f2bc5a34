import pytest

from palabre.wire.refusals import words_in


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": " model not found ", "code": 404}}', "model not found"),
        (b'{"error": "model not found"}', "model not found"),
        (b'{"message": "busy"}', "busy"),
        (b'{"error": null, "detail": "no such voice"}', "no such voice"),
        (b'{"detail": [{"loc": ["body"]}]}', ""),
        (b"[1]", ""),
        (b"<html>", ""),
        (b"\xff", ""),
        (b"[" * 100_000, ""),
    ],
)
def test_a_refusal_tells_its_words_where_it_has_any(body: bytes, words: str) -> None:
    assert words_in(body) == words
