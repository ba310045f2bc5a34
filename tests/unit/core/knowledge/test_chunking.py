import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.core.knowledge.chunking import cut, sentences
from palabre.core.knowledge.graphemes import is_border
from palabre.core.knowledge.model import Chunk, SourceText

LETTERS = "aé😀e\u0301👩\u200d🚀🇫🇷🇧🇪 \n\t.!?\f« »1"


def chunks(text: str, max_chars: int = 40, page_starts: tuple[int, ...] = ()) -> list[Chunk]:
    return cut(SourceText("s", "t", text, page_starts), max_chars)


def texts(text: str, max_chars: int = 40) -> list[str]:
    return [chunk.text for chunk in chunks(text, max_chars)]


@given(st.text(alphabet=LETTERS, max_size=400), st.integers(10, 60))
def test_every_chunk_is_a_substring_and_only_white_space_is_left_out(
    text: str, max_chars: int
) -> None:
    end = 0
    for chunk in chunks(text, max_chars):
        assert 0 < len(chunk.text) <= max_chars
        assert text[chunk.start : chunk.start + len(chunk.text)] == chunk.text
        assert not text[end : chunk.start].strip()
        assert chunk.text == chunk.text.strip()
        end = chunk.start + len(chunk.text)
    assert not text[end:].strip()


@given(st.text(alphabet="ae\u0301😀\u200d👩🇫🇷", min_size=1, max_size=300))
def test_no_chunk_begins_inside_a_grapheme(text: str) -> None:
    for chunk in chunks(text, 30):
        long_run = chunk.start >= 30 and all(
            not is_border(text, at) for at in range(chunk.start - 29, chunk.start + 1)
        )
        assert is_border(text, chunk.start) or long_run


def test_short_paragraphs_are_put_together() -> None:
    assert texts("un\n\ndeux\n \ntrois", 12) == ["un\n\ndeux", "trois"]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    text = "La ruche est vide. Les abeilles sont parties ! Où vont-elles ?"
    assert texts(text, 30) == [
        "La ruche est vide.",
        "Les abeilles sont parties !",
        "Où vont-elles ?",
    ]


def test_a_long_sentence_is_cut_between_words() -> None:
    assert texts("alpha beta gamma delta", 11) == ["alpha beta", "gamma delta"]


def test_a_long_word_is_cut_between_characters() -> None:
    assert texts("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    family = "👩\u200d🚀"
    assert texts(family * 5, 10) == [family * 3, family * 2]


def test_a_mark_stays_with_its_letter_even_in_a_pile_of_marks() -> None:
    assert texts("e\u0301" * 8, 5) == ["e\u0301" * 2] * 4
    assert all(len(each) <= 10 for each in texts("a" + "\u0301" * 50, 10))


def test_flags_are_not_torn() -> None:
    assert texts("🇫🇷🇧🇪🇨🇭", 3) == ["🇫🇷", "🇧🇪", "🇨🇭"]


@pytest.mark.parametrize("text", ["", " ", "\n\n\t\f ", "\u00a0\u2003"])
def test_white_space_has_no_chunks(text: str) -> None:
    assert chunks(text) == []


def test_a_chunk_tells_the_page_it_begins_on() -> None:
    text = "Première page.\fDeuxième page.\fTroisième."
    starts = (0, text.index("D"), text.index("T"))
    assert [each.page for each in chunks(text, 15, starts)] == [1, 2, 3]
    assert [each.page for each in chunks(text, 15)] == [None, None, None]


def test_accents_in_two_forms_are_left_as_they_are() -> None:
    text = unicodedata.normalize("NFD", "Été à Évry. ") * 10
    assert "".join(texts(text, 50)).replace(" ", "") == text.replace(" ", "")


def test_abbreviations_and_numbers_end_no_sentence() -> None:
    assert sentences("Il pèse 3. 5 kg. puis rien.\nAutre ligne") == [
        "Il pèse 3. 5 kg. puis rien.",
        "Autre ligne",
    ]
