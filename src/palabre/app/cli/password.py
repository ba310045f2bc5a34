"""Where commands get a password from: hidden input or a file, never an argument."""

import warnings
from getpass import GetPassWarning
from pathlib import Path

import typer

from palabre.kernel.errors import UserError
from palabre.kernel.text import text
from palabre.texts import Language, say

_MAX_FILE_BYTES = 8192
"""More than the longest password takes; what is larger is no file of a password."""


class PasswordsDifferError(UserError):
    """What was typed the second time is something else."""

    code = "passwords_differ"


class PasswordFileError(UserError):
    """The file `data["path"]` cannot be read; `data["detail"]` says why."""

    code = "password_file"


class PasswordFileLinesError(UserError):
    """The file `data["path"]` does not hold one line of UTF-8."""

    code = "password_file_lines"


class PasswordUnaskedError(UserError):
    """There is no terminal at which the password could be typed unseen."""

    code = "password_unasked"


def ask_password(username: str, language: Language) -> str:
    """Ask for the password of *username* twice, without showing it.

    Raises:
        PasswordsDifferError: The two are not the same.
        PasswordUnaskedError: There is no terminal.
        typer.Abort: Nobody answers.
    """
    questions = text("cli.user.ask_password", username=username), text("cli.user.ask_again")
    first, second = (ask_once(say(each, language)) for each in questions)
    if first != second:
        raise PasswordsDifferError
    return first


def ask_once(question: str) -> str:
    """Ask for a password once, without showing it; empty if nothing is typed.

    Raises:
        PasswordUnaskedError: There is no terminal.
        typer.Abort: Nobody answers.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", GetPassWarning)  # else it would be shown as it is typed
        try:
            typed = typer.prompt(
                question, default="", hide_input=True, show_default=False, err=True
            )
        except GetPassWarning:
            typer.echo(err=True)  # the question has not ended its line
            raise PasswordUnaskedError from None
    return str(typed)


def read_password(file: Path) -> str:
    """Return the one line of *file*, without its end.

    Raises:
        PasswordFileError: It cannot be read.
        PasswordFileLinesError: It holds something else.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(_MAX_FILE_BYTES + 1)
    except OSError as fault:
        detail = fault.strerror or type(fault).__name__
        raise PasswordFileError(path=str(file), detail=detail) from None
    try:
        line = content.decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise PasswordFileLinesError(path=str(file)) from None
    if len(content) > _MAX_FILE_BYTES or len(line.splitlines()) > 1:
        raise PasswordFileLinesError(path=str(file))
    return line
