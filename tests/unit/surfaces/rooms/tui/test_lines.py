import pytest
from rich.cells import cell_len

from palabre.surfaces.rooms.tui.entry import Draft, Entry, Kind
from palabre.surfaces.rooms.tui.lines import Page, draft_lines, entry_lines, nick_color, rule
from palabre.surfaces.rooms.tui.theme import DARK, LIGHT


def page(width: int = 60) -> Page:
    return Page(width, DARK, "lea", {"batty": "#ef5350"})


def message(text: str, nick: str = "marc", kind: Kind = Kind.MESSAGE) -> Entry:
    return Entry(1, kind, text, "12:00", nick)


def test_words_hang_behind_hour_and_nick() -> None:
    lines = entry_lines(message("un deux trois quatre cinq six sept huit neuf dix onze"), page())
    assert [line.plain.rstrip() for line in lines] == [
        " 12:00       marc │ un deux trois quatre cinq six sept huit",
        "                  │ neuf dix onze",
    ]


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000,
        "日本語" * 500,
        "👩‍🚀" * 100,
        "שלום " * 200,
        "",
        "\n\n",
        "    indented",
        "a\n" * 50,
    ],
    ids=["word", "wide", "emoji", "rtl", "empty", "newlines", "blanks", "lines"],
)
def test_no_line_is_wider_than_the_page(width: int, text: str) -> None:
    lines = entry_lines(message(text), page(width))
    assert lines
    assert all(cell_len(line.plain) <= max(width, page(width).indent + 8) for line in lines)


def test_markup_from_the_network_is_only_text() -> None:
    lines = entry_lines(message("[bold]x[/bold] [red]", nick="[b]m[/b]"), page())
    assert "[bold]x[/bold] [red]" in lines[0].plain
    assert "[b]m[/b]" in lines[0].plain


def test_a_long_nick_is_shortened() -> None:
    assert (
        "abcdefghi… │ x" in entry_lines(message("x", "abcdefghijklmnopqrstuvwx"), page())[0].plain
    )


def test_a_growing_reply_ends_with_a_cursor_and_a_missed_beginning_shows() -> None:
    whole = Draft("Batty", "#ef5350", "J'ai vu", "12:00", 2, whole=True)
    assert draft_lines(whole, page())[-1].plain.endswith("│ J'ai vu▌")
    late = Draft("Batty", "#ef5350", "vu", "12:00", 9, whole=False)
    assert draft_lines(late, page())[-1].plain.endswith("│ …vu▌")


def test_only_the_end_of_a_long_growing_reply_is_drawn() -> None:
    draft = Draft("Batty", "", "a" * 199_990 + "b" * 10, "12:00", 2, whole=True)
    lines = draft_lines(draft, page(100))
    assert sum(line.plain.count("a") + line.plain.count("b") for line in lines) <= 4000 + len(
        "batty"
    )
    assert lines[0].plain.split("│ ")[1].startswith("…a")
    assert lines[-1].plain.endswith("b▌")


def test_the_end_of_a_long_growing_reply_is_code_when_its_beginning_opened_a_block() -> None:
    code = Draft("Batty", "", "```\n" + "**x** \n" * 1000, "12:00", 2, whole=True)
    assert "**x**" in draft_lines(code, page())[-2].plain
    words = Draft("Batty", "", "```\n```\n" + "**x** \n" * 1000, "12:00", 2, whole=True)
    assert "**" not in draft_lines(words, page())[-2].plain


def test_an_escape_sequence_spread_over_chunks_is_caught() -> None:
    draft = Draft("Batty", "", "a" + "\x1b" + "[2Jb", "12:00", 2, whole=True)
    assert draft_lines(draft, page())[0].plain.endswith("│ ab▌")


def test_a_rule_fills_the_page() -> None:
    assert cell_len(rule("maintenant", DARK.muted, page(41)).plain) == 41


def test_a_call_is_marked_in_the_margin() -> None:
    called = Entry(1, Kind.MESSAGE, "lea ?", "12:00", "marc", "", mentions_me=True)
    assert entry_lines(called, page())[0].plain.startswith("▌")


def test_peoples_grey_is_the_color_of_text_in_both_themes() -> None:
    assert nick_color("#e0e0e0", LIGHT) == LIGHT.text
    assert nick_color("", DARK) == DARK.text
    assert nick_color("#4fc3f7", DARK) == "#4fc3f7"
