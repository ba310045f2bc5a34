import pytest

from palabre.surfaces.rooms.tui.completion import (
    Choices,
    Command,
    Completer,
    matching,
    parse_commands,
)

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


def test_a_command_with_arguments_is_recognised_and_its_beginnings_too() -> None:
    assert [c.name for c in matching("/c", COMMANDS)] == ["/clear", "/compose"]
    assert [c.name for c in matching("/me", COMMANDS)] == ["/me"]
    assert [c.name for c in matching("/compose drone", COMMANDS)] == ["/compose"]
    assert matching("/x", COMMANDS) == ()


@pytest.mark.parametrize(
    "raw",
    [
        b'[{"name":"/nick","usage":"/nick <nom>","summary":"s"}]',
        b'[{"name":"nick","usage":"/nick <nom>","summary":"s","more":1}]',
        b'{"ok":true,"data":[{"name":"nick","usage":"<nom>","summary":"s"}]}',
    ],
)
def test_the_servers_list_is_read(raw: bytes) -> None:
    assert parse_commands(raw) == (Command("/nick", "/nick <nom>", "s"),)


def test_a_command_without_arguments_is_its_own_usage() -> None:
    assert parse_commands(b'[{"name":"who","usage":""}]') == (Command("/who", "/who", ""),)


@pytest.mark.parametrize("raw", [b"<html>", b"{}", b'[{"usage":1}]', b"null"])
def test_another_answer_is_no_list(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_commands(raw)
