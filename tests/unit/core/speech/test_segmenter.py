import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.core.speech.segmenter import MAX_SPOKEN_CHARS, MAX_WAITING_CHARS, SentenceSegmenter


def cut(text: str, size: int = 3) -> list[str]:
    segmenter, sentences = SentenceSegmenter(), []
    for start in range(0, len(text), size):
        sentences += segmenter.feed(text[start : start + size])
    return sentences + segmenter.finish()


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "M. Dupont est venu hier. Il est reparti.",
            ["M. Dupont est venu hier.", "Il est reparti."],
        ),
        ("Je... je ne sais pas. Peut-être…", ["Je... je ne sais pas.", "Peut-être…"]),
        (
            "Ah ! dit-il, c'est 3.14 ou 1 000. Puis il se tut.",
            ["Ah ! dit-il, c'est 3.14 ou 1 000.", "Puis il se tut."],
        ),
        (
            "Il a dit « Viens ! » et il est parti.",
            ["Il a dit « Viens ! » et il est parti."],
        ),
        (
            "« Tu viens ? » Elle rit longuement.",
            ["« Tu viens ? »", "Elle rit longuement."],
        ),
        (
            "Voir J.-C. Risset, etc. Les sons comptent, cf. p. 12. Bien sûr.",
            ["Voir J.-C. Risset, etc.", "Les sons comptent, cf. p. 12.", "Bien sûr."],
        ),
        (
            "Le 5 av. J.-C. fut long. J. S. Bach composa.",
            ["Le 5 av. J.-C. fut long.", "J. S. Bach composa."],
        ),
        (
            "1. Premier point important\n2. Deuxième point",
            ["1. Premier point important", "2. Deuxième point"],
        ),
        ("Deux * trois font six. Voilà tout.", ["Deux trois font six.", "Voilà tout."]),
        ("*Il s'assied. Il attend.* Bonjour à toi.", ["Bonjour à toi."]),
        ("Voici :\n```\nx = 1. Y\n```\nC'est du code.", ["Voici : C'est du code."]),
        ("Sans fin de phrase", ["Sans fin de phrase"]),
    ],
)
def test_french_is_cut_where_its_sentences_end(text: str, sentences: list[str]) -> None:
    assert cut(text) == sentences


def test_what_is_too_short_joins_the_next_sentence() -> None:
    assert cut("Oui. Non. Je viens demain matin.") == ["Oui. Non. Je viens demain matin."]


def test_a_short_end_is_spoken_after_other_words_but_not_alone() -> None:
    assert cut("Je viens demain. Oui.") == ["Je viens demain.", "Oui."]
    assert cut("Bonjour !") == []


def test_a_sentence_comes_as_soon_as_the_next_one_begins() -> None:
    segmenter = SentenceSegmenter()
    assert segmenter.feed("Bonjour à tous. ") == []
    assert segmenter.feed("C") == ["Bonjour à tous."]


def test_a_line_ends_a_sentence_at_once() -> None:
    assert SentenceSegmenter().feed("Bonjour à tous\n") == ["Bonjour à tous"]


def test_long_sentences_are_cut_where_one_breathes() -> None:
    clause = "les sons durent et durent encore, "
    pieces = cut(clause * 60 + "fin.")
    assert [len(piece) <= MAX_SPOKEN_CHARS for piece in pieces] == [True] * len(pieces)
    assert all(piece.endswith(",") for piece in pieces[:-1])
    assert " ".join(pieces) == clause * 60 + "fin."


def test_words_without_any_end_are_not_held_back_for_ever() -> None:
    segmenter, sentences = SentenceSegmenter(), []
    for _ in range(2 * MAX_WAITING_CHARS):
        sentences += segmenter.feed("a")
    assert sum(map(len, sentences)) > MAX_WAITING_CHARS


def test_a_block_of_code_without_end_costs_nothing() -> None:
    segmenter = SentenceSegmenter()
    segmenter.feed("```\n")
    for _ in range(3000):
        segmenter.feed("x = 1. Y\n")
    assert len(segmenter._waiting) <= MAX_WAITING_CHARS + 9
    assert segmenter.feed("```\nVoilà le code.\n") == ["Voilà le code."]


words = st.lists(
    st.sampled_from(
        [
            "M.",
            "Oui.",
            "non",
            "Elle",
            "rit !",
            "« Non »",
            "*sourit*",
            "**fort**",
            "etc.",
            "3.14",
            "…",
            "...",
            "?",
            "\n",
            "```",
            "J.-C.",
            "*",
            "(a",
            "b)",
            "1.",
            "Bien sûr,",
            "🎉",
        ]
    ),
    max_size=30,
)


@given(words, st.integers(1, 7))
def test_the_cuts_do_not_depend_on_how_the_answer_came(parts: list[str], size: int) -> None:
    text = " ".join(parts)
    assert cut(text, size) == cut(text, len(text) + 1)


@given(st.text(max_size=300), st.integers(1, 5))
def test_no_text_makes_a_piece_too_long_or_empty(text: str, size: int) -> None:
    assert all(0 < len(piece) <= MAX_SPOKEN_CHARS for piece in cut(text, size))
