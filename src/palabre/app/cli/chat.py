"""`palabre chat`: the terminal client."""

import asyncio
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from palabre.app.cli.entering import enter
from palabre.app.cli.failure import FAILED
from palabre.app.cli.password import ask_once, read_password
from palabre.app.clock import SystemClock
from palabre.core.personas.nicks import is_nick
from palabre.surfaces.rooms.tui.address import (
    DEFAULT_URL,
    AddressError,
    commands_url,
    feedback_url,
    is_here,
    login_url,
    socket_url,
)
from palabre.surfaces.rooms.tui.client import TerminalClient
from palabre.surfaces.rooms.tui.commands import load_commands
from palabre.surfaces.rooms.tui.connection import Connection, Event
from palabre.surfaces.rooms.tui.conversation import Conversation
from palabre.surfaces.rooms.tui.judging import FeedbackRoute
from palabre.surfaces.rooms.tui.login import Login
from palabre.surfaces.rooms.tui.pipe import is_terminal, run_plain
from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.theme import ThemeName
from palabre.surfaces.rooms.tui.words import Words
from palabre.texts import Language

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def chat(
    url: Annotated[str, typer.Argument(help="Address of the server.")] = DEFAULT_URL,
    *,
    nick: Annotated[str | None, typer.Option(help="Your name; the server finds one.")] = None,
    user: Annotated[
        str | None, typer.Option(help="Log in by this name; its password is asked.")
    ] = None,
    password_file: Annotated[
        Path | None,
        typer.Option("--password-file", metavar="FILE", help="Take it from this one line."),
    ] = None,
    lang: Annotated[Language, typer.Option(help="Language of client and server.")] = "fr",
    theme: Annotated[ThemeName, typer.Option(help="Phosphor or paper.")] = "dark",
    plain: Annotated[
        bool, typer.Option("--plain", help="Lines only: for pipes and screen readers.")
    ] = False,
) -> None:
    """Chat in the terminal with the people and personas of a server.

    **Examples**

    `palabre chat --nick lea`

    `palabre chat https://chat.example.org --user lea`

    `palabre chat https://chat.example.org --lang en --theme light`

    `echo "Bonjour @Schaeffer" | palabre chat --plain`

    Without a terminal, as in a pipe, lines are printed as if `--plain` were given.
    """
    words = Words(lang)
    login = _login(url, user, password_file, words)
    conversation = _conversation(url, nick, words, login)
    if login is not None:
        asks_again = password_file is None and sys.stdin.isatty()
        enter(login, partial(_ask, login.username, words) if asks_again else None, words)
    if plain or not is_terminal():
        raise typer.Exit(0 if asyncio.run(run_plain(conversation, words)) else 1)
    commands = partial(load_commands, commands_url(url, lang))
    TerminalClient(conversation, words, commands, theme).run()
    raise typer.Exit(FAILED if conversation.link.refused else 0)


def _login(url: str, user: str | None, file: Path | None, words: Words) -> Login | None:
    """Return who comes; guests type no password."""
    if user is None:
        return None
    try:
        address = login_url(url)
    except AddressError:
        _refuse(words("bad_address", url=url))
    if address.startswith("http:") and not is_here(address):
        typer.echo(words("login.in_the_clear"), err=True)
    return Login(address, user, read_password(file) if file else _ask(user, words))


def _ask(user: str, words: Words) -> str:
    return ask_once(words("login.ask_password", username=user))


def _conversation(url: str, nick: str | None, words: Words, login: Login | None) -> Conversation:
    if nick is not None and not is_nick(nick):
        _refuse(words("bad_nick", nick=nick))

    def address(nick: str | None) -> str:
        return socket_url(url, nick, words.language)

    try:
        address(nick)
    except AddressError:
        _refuse(words("bad_address", url=url))

    def connect(wanted: Callable[[], str | None], report: Callable[[Event], None]) -> Connection:
        return Connection(lambda: address(wanted()), report, login=login)

    route = FeedbackRoute(feedback_url(url), login)
    session = Session(nick, by_account=login is not None)
    return Conversation(session, SystemClock(), words, connect, tell_verdict=route, url=url)


def _refuse(why: str) -> NoReturn:
    typer.echo(why, err=True)
    raise typer.Exit(2)
