"""What a model thinks never reaches a reader, however its words are cut."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from palabre.core.models.thinking import MAX_UNDECIDED, ThinkingFilter

MARKED = st.lists(
    st.sampled_from(
        [
            "<think>",
            "</think>",
            "<THINK>",
            "</Think>",
            "`",
            "``",
            "```",
            "<",
            "</",
            "<thin",
            "k>",
            "a",
            "\n",
            "b" * 120,
            "é",
            "Oui.",
            "<think",
            "ı",
            "K",
            "<thınk>",
        ]
    ),
    max_size=14,
).map("".join)


def filtered(pieces: list[str]) -> tuple[str, str]:
    thinking = ThinkingFilter()
    shown = "".join([*map(thinking.feed, pieces), thinking.finish()])
    return shown, thinking.text


@st.composite
def cut_texts(draw: st.DrawFn) -> list[str]:
    text = draw(MARKED)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@given(cut_texts())
@example(["a```", "\n<think>x</think>\n```b"])
@example(["``", "``<think>x</think>", "```"])
def test_any_cut_of_a_text_gives_the_same_answer(pieces: list[str]) -> None:
    whole = filtered(["".join(pieces)])[1]
    assert filtered(pieces)[1] == whole
    assert filtered(list("".join(pieces)))[1] == whole


@given(cut_texts())
def test_what_is_shown_is_the_answer_unless_a_block_ends_that_never_began(
    pieces: list[str],
) -> None:
    shown, text = filtered(pieces)
    if "</think>" in "".join(pieces).lower():
        assert shown.endswith(text)
    else:
        assert shown == text


@pytest.mark.parametrize(
    ("pieces", "answer"),
    [
        (["<", "thi", "nk>a</th", "ink>Bonjour"], "Bonjour"),
        (["<think>x</think>Oui"], "Oui"),
        (["Je pense encore", " un peu</think>Bonjour"], "Bonjour"),
        (["Oui<think>glued</think>, non"], "Oui, non"),
        (["<think>a</think>b<think>never ends"], "b"),
        (["<think>never ends"], ""),
        (["<think></think>"], ""),
        (["Écris `<think>` ainsi"], "Écris `<think>` ainsi"),
        (["```\n<think>\n```"], "```\n<think>\n```"),
        (["l`ami <think>secret</think> dit"], "l`ami  dit"),
        (["l`ami <think>secret</think>\n`a`"], "l`ami \n`a`"),
        (["l`ami <think>sec", "ret` y"], "l`ami <think>secret` y"),
        (["un ` seul, ma pensée</think>Oui"], "Oui"),
        (["`<think>" + "x" * MAX_UNDECIDED + "</think>Oui`"], "`Oui`"),
        (["un ` seul\n<think>x</think>fin"], "un ` seul\nfin"),
        (["<Think>x</THINK>Oui"], "Oui"),
        (["<think>`</think>Oui"], "Oui"),
        (["2 < 3 et </ fin"], "2 < 3 et </ fin"),
    ],
)
def test_only_the_answer_is_kept(pieces: list[str], answer: str) -> None:
    assert filtered(pieces)[1] == answer


def test_a_piece_is_shown_at_once_when_no_tag_can_begin_in_it() -> None:
    thinking = ThinkingFilter()
    assert thinking.feed("Bonjour ") == "Bonjour "
    assert thinking.feed("<th") == ""
    assert thinking.feed("é") == "<thé"


def test_a_tag_behind_a_lone_backtick_is_held_back_until_it_is_clear_what_it_is() -> None:
    thinking = ThinkingFilter()
    assert thinking.feed("l`ami <think>secret") == "l`ami "
    assert "".join(thinking.feed("x") for _ in range(2 * MAX_UNDECIDED)) == ""
    assert thinking.feed("</think>Oui") == "Oui"


@pytest.mark.parametrize("piece", ["`<think>", "<think>", "x"])
def test_tags_behind_a_lone_backtick_cost_no_more_than_their_length(piece: str) -> None:
    thinking = ThinkingFilter()
    for _ in range(20_000):
        thinking.feed(piece)
    thinking.finish()
    assert filtered(["`" + piece * 20_000])[1].startswith("`")


def test_a_long_answer_costs_no_more_than_its_length() -> None:
    thinking = ThinkingFilter()
    for _ in range(20_000):
        thinking.feed("`<")
    assert thinking.finish() == "<"
