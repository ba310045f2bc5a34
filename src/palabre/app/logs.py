"""The program's log: lines on standard error, as text or as JSON.

Every module logs through the standard library; structlog only writes the lines.
"""

import logging
import sys
from typing import Literal, TextIO

import structlog
from structlog.types import Processor

from palabre.app.settings.sections import LogLevel

_NOISY = (
    "alembic",
    "asyncio",
    "httpcore2",
    "httpx2",
    "openai",
    "uvicorn",
    "uvicorn.access",
    "uvicorn.error",
)
_SHARED: tuple[Processor, ...] = (
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)
# No local variables: they hold what people said, and showing them takes long.
_TRACEBACKS = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
)


class _StandardError(logging.StreamHandler[TextIO]):
    """Writes to what `sys.stderr` is at that moment: a progress bar lifts lines above itself."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def configure_logs(level: LogLevel, form: Literal["text", "json"]) -> None:
    """Log from *level* up; standard output stays free for what a command prints."""
    handler = _StandardError()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_last(form),
            ],
            foreign_pre_chain=_SHARED,
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _NOISY:
        logging.getLogger(name).setLevel(max(root.level, logging.WARNING))


def _last(form: Literal["text", "json"]) -> tuple[Processor, ...]:
    if form == "json":
        renderer = structlog.processors.JSONRenderer(ensure_ascii=False)
        return (_TRACEBACKS, renderer)
    plain = structlog.dev.plain_traceback
    return (structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain),)
