"""What becomes of a follower's failures."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.errors import PalabreError

_log = logging.getLogger(__name__)


@contextmanager
def forgiven(telemetry: Telemetry, what: str) -> Iterator[None]:
    """Log and count that *what* could not be mirrored."""
    try:
        yield
    except (PalabreError, OSError) as error:
        telemetry.count("storage_mirror_failed")
        _log.warning("%s not mirrored in files: %s", what, error)
