"""What this machine can spare for a model."""

import os
import resource
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
_CGROUP_USE = Path("/sys/fs/cgroup/memory.current")


def available_memory_bytes() -> int | None:
    """Return how much memory a new process may take; None if the system does not tell.

    A container's limit counts where it is the smaller one.
    """
    found = [each for each in (_from_meminfo("MemAvailable"), _from_cgroup()) if each is not None]
    return min(found, default=None)


def total_memory_bytes() -> int | None:
    """Return how much memory the machine has; None if the system does not tell."""
    return _from_meminfo("MemTotal")


def usable_cores() -> int:
    """Return on how many cores this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def allow_open_files(count: int) -> int:
    """Let this process have *count* files and sockets open at once; return how many it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft == unlimited or soft >= count:
        return count
    granted = count if hard == unlimited else min(count, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (granted, hard))
    return granted


def _from_meminfo(field: str) -> int | None:
    try:
        lines = _MEMINFO.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) * 1024
    return None


def _from_cgroup() -> int | None:
    try:
        limit, used = _CGROUP_LIMIT.read_text(), _CGROUP_USE.read_text()
    except OSError:
        return None
    return int(limit) - int(used) if limit.strip().isdecimal() else None
