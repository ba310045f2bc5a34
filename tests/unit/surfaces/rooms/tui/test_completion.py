import pytest

from palabre.surfaces.rooms.tui.commands import Command
from palabre.surfaces.rooms.tui.completion import Choices, Completer

COMMANDS = tuple(Command(name, name, "") for name in ("/clear", "/compose", "/memory", "/me"))
CHOICES = Choices(("marc", "sacha"), ("Schaeffer", "Batty"), COMMANDS)


def complete(text: str, presses: int = 1, cursor: int | None = None) -> tuple[str, int] | None:
    completer = Completer()
    where = (text, len(text) if cursor is None else cursor)
    for _ in range(presses):
        completion = completer.press(*where, CHOICES)
        if completion is None:
            return None
        where = (completion.text, completion.cursor)
    return where


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("/cl", "/clear "),
        ("/MEM", "/memory "),
        ("bonjour @sch", "bonjour @Schaeffer "),
        ("bonjour bat", "bonjour @Batty "),
        ("mar", "marc "),
        ("/memory sch", "/memory Schaeffer "),
        ("one\n@ba", "one\n@Batty "),
    ],
)
def test_a_word_is_completed_as_its_place_demands(typed: str, completed: str) -> None:
    assert complete(typed) == (completed, len(completed))


@pytest.mark.parametrize("typed", ["", "bonjour ", "@nobody", "say /cl", "/nothing"])
def test_what_fits_nothing_stays(typed: str) -> None:
    assert complete(typed) is None


def test_pressing_again_walks_through_the_choices_and_comes_round() -> None:
    assert complete("/c", 2) == ("/compose ", 9)
    assert complete("/c", 3) == ("/clear ", 7)


def test_shift_tab_walks_backwards() -> None:
    completion = Completer().press("/c", 2, CHOICES, back=True)
    assert completion is not None
    assert completion.text == "/compose "


def test_what_stands_behind_the_cursor_is_kept() -> None:
    assert complete("@sch, bonjour", cursor=4) == ("@Schaeffer, bonjour", 10)
    assert complete("@sch bonjour", cursor=4) == ("@Schaeffer bonjour", 11)
