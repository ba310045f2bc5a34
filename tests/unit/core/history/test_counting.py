import pytest

from palabre.core.history.counting import UPLOAD, counted_kind
from palabre.kernel.text import text
from palabre.texts import say


@pytest.mark.parametrize("language", ["fr", "en"])
def test_a_line_that_tells_of_a_file_counts_as_an_upload(language: str) -> None:
    told = say(text("upload.shared", nick="lea", name="a b: c.txt", size="12.0"), language)
    assert counted_kind("system", told) == UPLOAD


def test_other_lines_count_as_what_they_are() -> None:
    assert counted_kind("message", "lea a envoyé: x (1.0 KB)") == "message"
    assert counted_kind("system", "lea a envoyé: x") == "system"
    assert counted_kind("image", "x") == "image"


def test_the_words_of_the_existing_program_count_as_well() -> None:
    assert counted_kind("system", "lea a envoye: x.pdf (0.5 KB)") == UPLOAD
