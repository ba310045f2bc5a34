"""Why a request of a program is refused before anybody looks at what it wants."""

from collections.abc import Mapping

from palabre.core.auth.key_errors import (
    HouseFullError,
    KeyRefusedError,
    KeyRequiredError,
    ScopeMissingError,
    TooManyAtOnceError,
    TooManyRequestsError,
)
from palabre.kernel.errors import PalabreError, StorageError, UserError
from palabre.kernel.text import Text


class ExplainedError(UserError):
    """Something is wrong for the reason *why*, which is said in the reader's language."""

    def __init__(self, why: Text, **data: str | int | float) -> None:
        super().__init__(**data)
        self.why = why

    @property
    def text(self) -> Text:
        """What to tell the user; the reason is its `detail`."""
        return Text(f"error.{self.code}", {**self.data, "detail": self.why})


class BodyUnreadableError(ExplainedError):
    """The body is not what it says that it is, or holds what no text may."""

    code = "api_body_unreadable"


class BodyTypeError(UserError):
    """The body says that it is something else than `data["wanted"]`."""

    code = "api_body_type"


class BodyTooLargeError(UserError):
    """The body has more than `data["limit_mb"]` MiB."""

    code = "api_body_too_large"


class BodyLateError(UserError):
    """The body was not here after `data["limit_s"]` seconds."""

    code = "api_body_late"


STATUSES: Mapping[type[PalabreError], int] = {
    KeyRequiredError: 401,
    KeyRefusedError: 401,
    ScopeMissingError: 403,
    BodyUnreadableError: 400,
    BodyLateError: 408,
    BodyTooLargeError: 413,
    BodyTypeError: 415,
    TooManyRequestsError: 429,
    TooManyAtOnceError: 429,
    HouseFullError: 503,
    StorageError: 503,
}


def headers_of(error: PalabreError, retry_after_s: int | None = None) -> dict[str, str]:
    """Return the headers by which *error* is answered.

    *retry_after_s* says when to try again, where *error* itself does not.
    """
    if isinstance(error, KeyRequiredError | KeyRefusedError):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, BodyLateError):
        return {"Connection": "close"}
    wait_s = error.data.get("retry_after_s", retry_after_s)
    return {} if wait_s is None else {"Retry-After": str(wait_s)}
