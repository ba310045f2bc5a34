"""The last errors, taken from the log."""

import logging
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from traceback import extract_tb

from palabre.core.telemetry.ports import ErrorSeen

KEPT = 200
STACK_LINES = 3
OURS = "palabre"


class RecentErrors(logging.Handler):
    """`ErrorLog` of what is logged as an error while it listens.

    It keeps what our code says, and where: a message before its values are put in, an
    exception's type, the innermost calls. What users wrote is in none of these. Of other
    libraries it keeps no message: they may have put values in already.
    """

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._seen: deque[ErrorSeen] = deque(maxlen=KEPT)
        self._counts: Counter[str] = Counter()

    @contextmanager
    def listening(self) -> Iterator["RecentErrors"]:
        """Take the errors of all loggers until the end of the context."""
        logging.getLogger().addHandler(self)
        try:
            yield self
        finally:
            logging.getLogger().removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep *record*."""
        error = _seen(record)
        self._seen.append(error)
        self._counts[error.label] += 1

    def recent(self) -> Sequence[ErrorSeen]:
        return tuple(reversed(self._seen))

    def counts(self) -> Mapping[str, int]:
        return dict(self._counts)


def _seen(record: logging.LogRecord) -> ErrorSeen:
    kind, _, trace = record.exc_info or (None, None, None)
    ours = record.name.startswith(OURS)
    name = record.name.rpartition(".")[2] if ours else record.name.partition(".")[0]
    message = str(record.msg) if ours else f"an error in {name}"
    calls = [
        f"{call.filename.rpartition('/')[2]}:{call.lineno} in {call.name}"
        for call in (extract_tb(trace) if trace else ())
    ]
    return ErrorSeen(
        at=datetime.fromtimestamp(record.created, UTC),
        label=name,
        message=f"{message}: {kind.__name__}" if kind else message,
        stack=tuple(reversed(calls[-STACK_LINES:])),
        reference=str(getattr(record, "reference", "")),
    )
