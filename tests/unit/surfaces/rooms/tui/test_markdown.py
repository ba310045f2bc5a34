import pytest
from rich.text import Text
from tests.support.computing import computing_s

from palabre.surfaces.rooms.tui.markdown import render
from palabre.surfaces.rooms.tui.theme import DARK


def styled(text: Text, words: str) -> str:
    """Return the style on the first letter of *words*."""
    at = text.plain.index(words)
    return " ".join(str(span.style) for span in text.spans if span.start <= at < span.end)


@pytest.mark.parametrize(
    ("source", "plain", "words", "style"),
    [
        ("un **mot** gras", "un mot gras", "mot", "bold"),
        ("un *mot* penché", "un mot penché", "mot", "italic"),
        ("un _mot_ penché", "un mot penché", "mot", "italic"),
        ("du `code` ici", "du code ici", "code", DARK.panel),
        (
            "voir https://example.org/a_b_c !",
            "voir https://example.org/a_b_c !",
            "https",
            "underline",
        ),
        ("# Titre", "Titre", "Titre", "bold"),
        ("> cité", "▏ cité", "cité", "italic"),
    ],
)
def test_light_markdown_is_shown(source: str, plain: str, words: str, style: str) -> None:
    shown = render(source, DARK, {})
    assert shown.plain == plain
    assert style in styled(shown, words)


@pytest.mark.parametrize(
    "source",
    [
        "2*3*4",
        "snake_case_name",
        "a ** b ** c",
        "**",
        "* ",
        "`",
        "[bold red]x[/]",
        "[link=https://bad]x[/link]",
        "<b>x</b>",
        "[click](javascript:alert)",
    ],
)
def test_what_is_no_markdown_stays_as_it_is(source: str) -> None:
    assert render(source, DARK, {}).plain == source


def test_a_list_gets_bullets_and_a_fence_disappears() -> None:
    assert render("- un\n  * deux\n```py\nx = **1**\n```\nfin", DARK, {}).plain == (
        "• un\n  • deux\nx = **1**\nfin"
    )


def test_a_persona_is_mentioned_in_its_color_whatever_the_case() -> None:
    shown = render("dis, @BATTY, et a@batty.org ?", DARK, {"batty": "#ef5350"})
    assert "#ef5350" in styled(shown, "@BATTY")
    assert "#ef5350" not in styled(shown, "batty.org")


@pytest.mark.parametrize("unit", ["**a ", "*a ", "`", "_a ", "@", "[", "**", "* "])
def test_no_text_takes_long_to_render(unit: str) -> None:
    hostile = unit * (8192 // len(unit))
    assert computing_s(lambda: render(hostile, DARK, {})) < 1
