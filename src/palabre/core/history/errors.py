"""What can be wrong with a question about the log."""

from palabre.kernel.errors import UserError


class LogNotFoundError(UserError):
    """Nothing is kept of the day `data["date"]`."""

    code = "log_not_found"


class DateFormatError(UserError):
    """A day is written `YYYY-MM-DD`, with a month and a day that exist."""

    code = "invalid_date_format"


class SearchTooLongError(UserError):
    """At most `data["max_chars"]` signs can be searched at once."""

    code = "search_too_long"
