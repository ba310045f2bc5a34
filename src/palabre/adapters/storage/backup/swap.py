"""Put one folder in the place of another: whoever looks sees the old or the new, never neither."""

import ctypes
import errno
import os
from pathlib import Path

from palabre.adapters.storage.atomic import sync_path
from palabre.adapters.storage.backup.errors import SwapFailedError
from palabre.adapters.storage.errors import reason

_HERE = -100
_EXCHANGE = 2


def exchange(one: Path, other: Path) -> None:
    """Let the folders *one* and *other*, beside each other, change their names.

    In one step where the system can; elsewhere in three, of which a kill between them leaves both
    folders whole under names that begin alike.

    Raises:
        SwapFailedError: It is not allowed, as for a folder that is a mount point.
    """
    try:
        if not _exchange_at_once(one, other):
            between = other.with_name(f"{other.name}.between")
            one.rename(between)
            other.rename(one)
            between.rename(other)
    except OSError as fault:
        raise SwapFailedError(path=str(one), detail=reason(fault)) from fault
    sync_path(one.parent)


def _exchange_at_once(one: Path, other: Path) -> bool:
    """Exchange them by `renameat2` of Linux; say whether the system has it."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return False
    if renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    fault = ctypes.get_errno()
    if fault in {errno.ENOSYS, errno.EINVAL}:
        return False
    raise OSError(fault, os.strerror(fault))
