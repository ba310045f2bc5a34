"""The client understands the very words that our server says, in each of its languages."""

import pytest

from palabre.kernel.text import text
from palabre.surfaces.rooms.tui import phrases
from palabre.texts import LANGUAGES, Language, say

pytestmark = pytest.mark.parametrize("language", LANGUAGES)


def test_the_greeting_tells_the_nick(language: Language) -> None:
    motd = say(text("room.welcome", personas="Schaeffer, Batty", nick="user_42"), language)
    assert phrases.my_nick(motd) == "user_42"


def test_a_change_of_nick_is_understood(language: Language) -> None:
    assert phrases.renamed(say(text("nick.changed", old="lea", new="léa"), language)) == (
        "lea",
        "léa",
    )


def test_a_typing_line_is_understood(language: Language) -> None:
    assert phrases.typing_nick(say(text("reply.typing", nick="Batty"), language)) == "Batty"


def test_the_rules_around_the_history_are_understood(language: Language) -> None:
    opening, closing = (say(text(f"history.{end}"), language) for end in ("opening", "closing"))
    assert phrases.starts_replay(opening)
    assert phrases.ends_replay(closing)
    assert not phrases.starts_replay(closing)


def test_the_end_of_a_session_is_understood(language: Language) -> None:
    assert phrases.ends_session(say(text("room.session_ended"), language))
    assert not phrases.ends_session(say(text("room.too_fast"), language))
