"""Cold start: from the command to the first accepted WebSocket."""

from statistics import median

from bench.plan import Plan
from bench.rows import Row
from bench.target import Target

ROUNDS = 5


def measure(plan: Plan) -> list[Row]:
    """Start the server, without models, and ask for a WebSocket until it accepts one."""
    starts: list[Target] = []
    for turn in range(ROUNDS):
        plan.tell(f"cold start, {turn + 1} of {ROUNDS}")
        with plan.launcher.running() as target:
            starts.append(target)
    fastest = min(start.start_s for start in starts)
    cpu_s = median(start.start_cpu_s for start in starts)
    note = f"to the first accepted WebSocket; fastest {fastest:.2f} s, CPU {cpu_s:.2f} s"
    return [Row("cold start", median(start.start_s for start in starts), "s", 1.5, note=note)]
