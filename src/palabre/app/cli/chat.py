"""`palabre chat`: the terminal client."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Annotated, NoReturn

import typer

from palabre.app.clock import SystemClock
from palabre.core.personas.nicks import is_nick
from palabre.surfaces.rooms.tui.address import (
    DEFAULT_URL,
    AddressError,
    commands_url,
    socket_url,
)
from palabre.surfaces.rooms.tui.client import TerminalClient
from palabre.surfaces.rooms.tui.commands import load_commands
from palabre.surfaces.rooms.tui.connection import Connection, Event
from palabre.surfaces.rooms.tui.conversation import Conversation
from palabre.surfaces.rooms.tui.pipe import is_terminal, run_plain
from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.theme import ThemeName
from palabre.surfaces.rooms.tui.words import Words
from palabre.texts import Language

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def chat(
    url: Annotated[str, typer.Argument(help="Address of the server.")] = DEFAULT_URL,
    nick: Annotated[str | None, typer.Option(help="Your name; the server finds one.")] = None,
    lang: Annotated[Language, typer.Option(help="Language of client and server.")] = "fr",
    theme: Annotated[ThemeName, typer.Option(help="Phosphor or paper.")] = "dark",
    plain: Annotated[  # noqa: FBT002 - an option of the command line
        bool, typer.Option("--plain", help="Lines only: for pipes and screen readers.")
    ] = False,
) -> None:
    """Chat in the terminal with the people and personas of a server.

    **Examples**

    `palabre chat --nick lea`

    `palabre chat https://chat.example.org --lang en --theme light`

    `echo "Bonjour @Schaeffer" | palabre chat --plain`

    Without a terminal, as in a pipe, lines are printed as if `--plain` were given.
    """
    words = Words(lang)
    conversation = _conversation(url, nick, words)
    if plain or not is_terminal():
        raise typer.Exit(0 if asyncio.run(run_plain(conversation, words)) else 1)
    commands = partial(load_commands, commands_url(url, lang))
    TerminalClient(conversation, words, commands, theme).run()


def _conversation(url: str, nick: str | None, words: Words) -> Conversation:
    if nick is not None and not is_nick(nick):
        _refuse(words("bad_nick", nick=nick))

    def address(nick: str | None) -> str:
        return socket_url(url, nick, words.language)

    try:
        address(nick)
    except AddressError:
        _refuse(words("bad_address", url=url))

    def connect(wanted: Callable[[], str | None], report: Callable[[Event], None]) -> Connection:
        return Connection(lambda: address(wanted()), report)

    return Conversation(Session(nick), SystemClock(), words, connect)


def _refuse(why: str) -> NoReturn:
    typer.echo(why, err=True)
    raise typer.Exit(2)
