"""Broadcast: what a delivery costs, whether all arrive in order, and when."""

from collections import defaultdict
from statistics import median

from bench.load import Figures, wsload
from bench.plan import Plan
from bench.rows import Row
from bench.target import Target

SIZES = (50, 200, 500)
ALONE, BURST = 1, 16
ROUNDS = 3
SEQ = '"seq":'
BROADCASTS = ("--seq-key", SEQ, "--count", SEQ)
"""History that is replayed to a newcomer has no number, and is no delivery."""
COST = "server_cpu_us_per_deliv"
MODES = {ALONE: "one at a time", BURST: f"bursts of {BURST}"}
NODE_US = 5.4
"""What the budgets take the Node hub to need on the machine that they were made for."""
BUDGETS_US = {(ALONE, 200): 4.5, **{(BURST, size): 1.5 for size in SIZES}}

Results = dict[tuple[str, int, int], list[Figures]]


def measure(plan: Plan) -> list[Row]:
    """Measure cost and loss at each size, then delay at 200 receivers."""
    with plan.both() as targets:
        costs = _costs(plan, targets)
        delays = _delays(plan, targets)
    rows = [_cost_row(costs, window, size) for window in MODES for size in SIZES]
    return [*rows, _loss_row(costs, delays), *_delay_rows(delays)]


def _costs(plan: Plan, targets: dict[str, Target]) -> Results:
    """Take turns, so that a busy moment of the machine meets both."""
    results: Results = defaultdict(list)
    for turn in range(ROUNDS):
        for size in SIZES:
            for window, mode in MODES.items():
                plan.tell(f"fan-out to {size}, {mode}, round {turn + 1} of {ROUNDS}")
                for name, target in targets.items():
                    figures = _saturate(target, size, window)
                    results[name, window, size].append(figures)
    return results


def _saturate(target: Target, size: int, window: int) -> Figures:
    load = ("--conns", str(size), "--window", str(window), "--warmup", "0.3", "--duration", "1")
    return wsload("fanout", target, *load, *BROADCASTS)


def _delays(plan: Plan, targets: dict[str, Target]) -> dict[str, list[Figures]]:
    plan.tell("delay at 200 receivers, 100 posts/s")
    load = ("--conns", "200", "--rate", "100", "--duration", "2.5")
    return {
        name: [wsload("rate", target, *load, *BROADCASTS) for _ in range(ROUNDS)]
        for name, target in targets.items()
    }


def _cost_row(results: Results, window: int, size: int) -> Row:
    ours = results["palabre", window, size]
    peer = results.get(("peer", window, size))
    budget_us = BUDGETS_US.get((window, size))
    return Row(
        f"fan-out to {size}, {MODES[window]}",
        median(figures[COST] for figures in ours),
        "us",
        budget_us,
        median(figures[COST] for figures in peer) if peer else None,
        budget_us / NODE_US if budget_us else None,
        "server CPU of one delivery; "
        f"{median(figures['deliv_per_s'] for figures in ours) / 1000:.0f} k deliveries/s",
    )


def _loss_row(costs: Results, delays: dict[str, list[Figures]]) -> Row:
    ours = [figures for key, runs in costs.items() if key[0] == "palabre" for figures in runs]
    ours += delays["palabre"]
    wrong = sum(abs(figures["missing"]) + figures["seq_errs"] for figures in ours)
    received = sum(figures["recvd"] for figures in ours)
    what = "fan-out: lost or out of order"
    return Row(what, wrong, "", 0, note=f"of {received / 1e6:.1f} M deliveries")


def _delay_rows(delays: dict[str, list[Figures]]) -> list[Row]:
    budgets_ms = {"p50": None, "p99": 25.0}
    return [
        Row(
            f"delay at 200, 100 posts/s: {rank}",
            median(figures[f"{rank}_ms"] for figures in delays["palabre"]),
            "ms",
            budget_ms,
            median(figures[f"{rank}_ms"] for figures in delays["peer"])
            if "peer" in delays
            else None,
        )
        for rank, budget_ms in budgets_ms.items()
    ]
