"""Where and when a run took place: figures mean little without it."""

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.target import ROOT


@dataclass(frozen=True, slots=True)
class Machine:
    """The surroundings of a run.

    Attributes:
        date: Day of the run, UTC.
        commit: Short name of the commit; `+` at the end means uncommitted changes.
        load_1m: Load average when the run began: above zero, others used the machine too.
    """

    date: str
    commit: str
    cpu: str
    cores: int
    memory_gb: float
    system: str
    python: str
    load_1m: float

    def __str__(self) -> str:
        return (
            f"{self.cpu}, {self.cores} cores, {self.memory_gb:.1f} GB, {self.system}, "
            f"Python {self.python}, load {self.load_1m:.1f} at the start"
        )


def this_machine() -> Machine:
    """Describe the machine and the checkout as they are now."""
    return Machine(
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        commit=_commit(),
        cpu=_cpu(),
        cores=os.cpu_count() or 1,
        memory_gb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9,
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        load_1m=os.getloadavg()[0],
    )


def _cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _commit() -> str:
    name = _git("rev-parse", "--short", "HEAD").strip() or "unknown"
    return f"{name}+" if _git("status", "--porcelain", "--untracked-files=no") else name


def _git(*args: str) -> str:
    done = subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout
