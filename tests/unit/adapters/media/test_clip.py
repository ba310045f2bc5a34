"""Text up to what personas get."""

import pytest

from palabre.adapters.media.clip import Clip
from palabre.core.media.errors import FileUnreadableError
from palabre.core.media.model import MAX_READ_BYTES


@pytest.mark.parametrize("character", ["x", "é", "€", "🎈"])
def test_it_never_holds_half_a_character(character: str) -> None:
    clip = Clip()
    assert clip.add("a")
    assert not clip.add(character * MAX_READ_BYTES)
    assert clip.text == "a" + character * ((MAX_READ_BYTES - 1) // len(character.encode()))
    assert clip.is_cut


def test_what_fits_exactly_is_not_cut() -> None:
    clip = Clip()
    assert clip.add("x" * MAX_READ_BYTES)
    assert not clip.is_cut
    assert not clip.add("y")
    assert clip.is_cut


def test_blank_lines_are_left_out_and_ends_trimmed() -> None:
    clip = Clip()
    assert all(map(clip.line, ["a ", "", " \t", "b"]))
    assert clip.reading(pages=3).text == "a\nb\n"
    assert clip.reading(pages=3).pages == 3


def test_half_of_a_pair_of_surrogates_does_no_harm() -> None:
    clip = Clip()
    clip.add("a\ud800b")
    assert clip.text == "a?b"


def test_nothing_but_blanks_is_no_reading() -> None:
    clip = Clip()
    clip.add(" \n")
    with pytest.raises(FileUnreadableError) as caught:
        clip.reading()
    assert caught.value.reason == "file_reason.blank"
