"""Errors that cross a package border. They carry a code and data, no prose.

PalabreError        `internal`
├─ UserError        the one who asked can mend it
├─ UpstreamError    something that we called failed
├─ SetupError       the program cannot start like this
└─ StorageError     what was said could not be kept
"""

from typing import ClassVar

from palabre.kernel.text import Text


class PalabreError(Exception):
    """Base of every error that is raised on purpose.

    Attributes:
        code: Stable name, and key of the text below `error.`.
        data: Values for the text's placeholders.
    """

    code: ClassVar[str] = "internal"

    def __init__(self, **data: str | int | float) -> None:
        super().__init__(self.code, data)
        self.data = data

    @property
    def text(self) -> Text:
        """What to tell the user."""
        return Text(f"error.{self.code}", self.data)


class UserError(PalabreError):
    """The one who asked can mend this."""

    code = "invalid"


class UpstreamError(PalabreError):
    """A service that we called failed. `data["detail"]` says how, in its own words."""

    code = "upstream_failed"


class SetupError(PalabreError):
    """The program cannot start with this configuration or on this machine."""

    code = "setup"


class StorageError(PalabreError):
    """What was said could not be kept. `data["detail"]` says why."""

    code = "storage"
