"""The program's log: lines on standard error, as text or as JSON."""

import logging
import sys
from typing import Literal

import structlog
from structlog.typing import Processor

from palabre.app.settings.sections import LogLevel


def configure_logs(level: LogLevel, form: Literal["text", "json"]) -> None:
    """Log from *level* up; standard output stays free for what a command prints."""
    last: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *([structlog.processors.dict_tracebacks] if form == "json" else []),
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
