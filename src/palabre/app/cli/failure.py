"""How the command line fails: one red message, an exit code, and a log for the rest."""

import secrets
import traceback
from pathlib import Path

from palabre.app.cli.console import plain_console
from palabre.app.settings import Settings, SettingsError, load_settings
from palabre.kernel.errors import PalabreError, UserError
from palabre.kernel.text import Text, text
from palabre.texts import Language, say

FAILED, MISUSED = 1, 2
LOG_NAME = "errors.log"


def tell(error: Exception) -> int:
    """Print what *error* means and what to do; return the exit code."""
    ours = _raised_on_purpose(error)
    if ours is None:
        return tell_unexpected(error, _settings())
    language = ours.language if isinstance(ours, SettingsError) else _settings().language
    _print(ours.text, language)
    return MISUSED if isinstance(ours, SettingsError | UserError) else FAILED


def _raised_on_purpose(error: Exception) -> PalabreError | None:
    """Return the error of ours that *error* is, or that a task group has wrapped with no other."""
    if isinstance(error, ExceptionGroup):
        found = [_raised_on_purpose(each) for each in error.exceptions]
        return found[0] if all(found) else None
    return error if isinstance(error, PalabreError) else None


def tell_unexpected(error: Exception, settings: Settings) -> int:
    """Write the trace of *error* to the log, print its reference; return the exit code."""
    reference = secrets.token_hex(4)
    log = _keep_trace(settings, error, reference)
    where = str(log) if log else "-"
    kind = type(error).__name__
    _print(text("cli.unexpected", kind=kind, reference=reference, log=where), settings.language)
    return FAILED


def _settings() -> Settings:
    try:
        return load_settings().settings
    except SettingsError:
        return Settings()


def _keep_trace(settings: Settings, error: Exception, reference: str) -> Path | None:
    try:
        folder = settings.create_data_dir() / "logs"
        folder.mkdir(exist_ok=True)
        log = folder / LOG_NAME
        with log.open("a", encoding="utf-8") as lines:
            lines.write(f"reference {reference}\n{''.join(traceback.format_exception(error))}\n")
    except OSError:
        return None
    return log


def _print(message: Text, language: Language) -> None:
    plain_console(stderr=True).print(say(message, language), style="red", soft_wrap=True)
