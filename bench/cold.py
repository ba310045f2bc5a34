"""Cold start: from the command to the first accepted WebSocket."""

from statistics import median

from bench.plan import Plan
from bench.rows import Row

ROUNDS = 5


def measure(plan: Plan) -> list[Row]:
    """Start the server, without models, and ask for a WebSocket until it accepts one."""
    starts: list[float] = []
    for turn in range(ROUNDS):
        plan.tell(f"cold start, {turn + 1} of {ROUNDS}")
        with plan.launcher.running() as target:
            starts.append(target.start_s)
    span = f"{min(starts):.2f} - {max(starts):.2f} s in {ROUNDS} starts"
    note = f"to the first accepted WebSocket; {span}"
    return [Row("cold start", median(starts), "s", 1.5, note=note)]
