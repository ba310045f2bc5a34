"""Log in once before the client opens: a refusal is better read at the prompt."""

import asyncio
from collections.abc import Callable

import typer

from palabre.app.cli.failure import FAILED
from palabre.surfaces.rooms.tui.conversation import refusal_code
from palabre.surfaces.rooms.tui.login import INVALID_CREDENTIALS, Login, LoginRefusedError
from palabre.surfaces.rooms.tui.words import Words

MAX_TRIES = 3
"""Passwords one may type; the server takes 5 a minute."""


def enter(login: Login, ask: Callable[[], str] | None, words: Words) -> None:
    """Log in.

    A server that cannot be reached is left to the client, which says so and tries again.

    Args:
        login: Holds the first password; keeps the session.
        ask: Asks for another password; None where nobody can answer.
        words: The client's own.

    Raises:
        typer.Exit: The server says no; why is on standard error.
    """
    for tries_left in reversed(range(MAX_TRIES)):
        try:
            asyncio.run(login.headers())
        except LoginRefusedError as refusal:
            reason = f"LOGIN {refusal.code}"
            typer.echo(words(refusal_code(reason), reason=reason), err=True)
            if ask is None or not tries_left or refusal.code != INVALID_CREDENTIALS:
                raise typer.Exit(FAILED) from None
            login.retype(ask())
        except OSError:
            return
        else:
            return
