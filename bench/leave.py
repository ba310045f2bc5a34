"""Leave storm: what many departures at once cost those who stay."""

from bench.load import Figures, wsload
from bench.plan import Plan
from bench.rows import Row

CASES = {(501, 500): (5.0, 0.5), (500, 250): (None, None)}
"""(connected, leaving) -> budgets in MB sent and CPU seconds."""


def measure(plan: Plan) -> list[Row]:
    """Let them leave; count all bytes that then reach anybody."""
    rows: list[Row] = []
    for (connected, leaving), (budget_mb, budget_s) in CASES.items():
        plan.tell(f"{leaving} of {connected} leave at once")
        load = ("--conns", str(connected), "--leavers", str(leaving))
        with plan.both() as targets:
            found = {name: wsload("leave", target, *load) for name, target in targets.items()}
        ours, peer = found["palabre"], found.get("peer")
        what = f"{leaving} of {connected} leave"
        note = f"{ours['left']:.0f} left; {ours['bytes_to_rest'] / 1e6:.2f} MB to who stayed"
        rows += [
            Row(f"{what}: sent", ours["bytes"] / 1e6, "MB", budget_mb, _mb(peer), note=note),
            Row(f"{what}: server CPU", ours["server_cpu_s"], "s", budget_s, _cpu(peer)),
        ]
    return rows


def _mb(figures: Figures | None) -> float | None:
    return figures["bytes"] / 1e6 if figures else None


def _cpu(figures: Figures | None) -> float | None:
    return figures["server_cpu_s"] if figures else None
