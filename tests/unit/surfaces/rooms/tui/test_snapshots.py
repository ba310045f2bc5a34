"""Pictures of the client; `pytest --snapshot-update` takes them anew after a wanted change."""

from collections.abc import Callable

import pytest
from tests.support.tui import ScriptedTransport, talk, terminal_client
from textual.pilot import Pilot

from palabre.surfaces.rooms.tui.client import TerminalClient
from palabre.surfaces.rooms.tui.connection import Lost, Waiting
from palabre.surfaces.rooms.tui.prompt import Prompt
from palabre.surfaces.rooms.tui.screen import REDRAW_S
from palabre.surfaces.rooms.tui.theme import ThemeName
from palabre.surfaces.rooms.tui.verdicts import VerdictWish, Vote
from palabre.wire.rooms import Message

Compare = Callable[..., bool]
VERDICTS: tuple[tuple[Vote, str], ...] = (
    ("up", "Schaeffer"), ("down", "Batty"), ("pin", "Batty"), ("pin", ""),
)  # fmt: skip


def prepared(
    theme: ThemeName, act: Callable[[ScriptedTransport], None], *keys: str
) -> tuple[TerminalClient, Callable[[Pilot[None]], object]]:
    app, transport = terminal_client(theme=theme)

    async def run_before(pilot: Pilot[None]) -> None:
        app.chat.query_one(Prompt).cursor_blink = False
        transport.greet("lea", "marc", "zoé")
        act(transport)
        await pilot.press(*keys)
        await pilot.pause(REDRAW_S * 4)

    return app, run_before


def lose(transport: ScriptedTransport) -> None:
    talk(transport)
    transport.report(Lost("no close frame received or sent"))
    transport.report(Waiting(3, 4))


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_conversation_with_two_growing_replies(snap_compare: Compare, theme: ThemeName) -> None:
    app, run_before = prepared(theme, talk)
    assert snap_compare(app, terminal_size=(120, 40), run_before=run_before)


def test_reconnecting(snap_compare: Compare) -> None:
    app, run_before = prepared("dark", lose)
    assert snap_compare(app, terminal_size=(80, 24), run_before=run_before)


def test_a_narrow_terminal(snap_compare: Compare) -> None:
    app, run_before = prepared("dark", talk)
    assert snap_compare(app, terminal_size=(60, 20), run_before=run_before)


def test_the_help_page(snap_compare: Compare) -> None:
    app, run_before = prepared("light", talk, "f1")
    assert snap_compare(app, terminal_size=(100, 36), run_before=run_before)


def judge(transport: ScriptedTransport) -> None:
    transport.receive(
        Message("Schaeffer", "Un objet sonore se travaille à l'oreille.", "#4fc3f7", 45, "r1"),
        Message("Batty", "J'ai vu des nuages de sons.", "#ef5350", 46, "r2"),
        Message("Radigue", "Une onde lente, presque immobile.", "#ce93d8", 47, "r3"),
    )


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_answers_with_thumbs_and_a_pin(snap_compare: Compare, theme: ThemeName) -> None:
    app, run_before = prepared(theme, judge)

    async def marked(pilot: Pilot[None]) -> None:
        await run_before(pilot)
        for vote, nick in VERDICTS:
            app.conversation.judge(VerdictWish(vote, nick))
        await pilot.pause(REDRAW_S * 4)

    assert snap_compare(app, terminal_size=(90, 12), run_before=marked)
