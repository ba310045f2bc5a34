"""Broadcast: what a delivery costs, whether all arrive in order, and when."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from bench.load import Figures, wsload
from bench.plan import Plan
from bench.rows import Row
from bench.target import Target

SIZES = (50, 200, 500)


@dataclass(frozen=True, slots=True)
class Mode:
    """How busy the channel is.

    Attributes:
        name: What the row calls it.
        senders: People who post.
        window: Messages under way in all.
    """

    name: str
    senders: int
    window: int


ALONE = Mode("one at a time", 4, 1)
BUSY = Mode("4 people, 16 under way", 4, 16)
BURST = Mode("16 people at once", 16, 16)
"""Frames of one person are done in order, so a burst is made of people."""

MODES = (ALONE, BUSY, BURST)
ROUNDS = 3
SEQ = '"seq":'
BROADCASTS = ("--seq-key", SEQ, "--count", SEQ)
"""History that is replayed to a newcomer has no number, and is no delivery."""
COST = "server_cpu_us_per_deliv"
NODE_US = 5.4
"""What the budgets take the Node hub to need on the machine that they were made for."""
BUDGETS_US = {(BUSY, 200): 4.5, (BURST, 200): 1.5, (BURST, 500): 1.5}

Results = dict[tuple[str, Mode, int], list[Figures]]


def measure(plan: Plan) -> list[Row]:
    """Measure cost and loss at each size, then delay at 200 receivers."""
    with plan.both() as targets:
        costs = _costs(plan, targets)
        delays = _delays(plan, targets)
    rows = [_cost_row(costs, mode, size) for mode in MODES for size in SIZES]
    return [*rows, _loss_row(costs, delays), *_delay_rows(delays)]


def _costs(plan: Plan, targets: dict[str, Target]) -> Results:
    """Take turns, so that a busy moment of the machine meets both."""
    results: Results = defaultdict(list)
    for turn in range(ROUNDS):
        for size in SIZES:
            for mode in MODES:
                plan.tell(f"fan-out to {size}, {mode.name}, round {turn + 1} of {ROUNDS}")
                for name, target in targets.items():
                    figures = _saturate(target, size, mode)
                    results[name, mode, size].append(figures)
    return results


def _saturate(target: Target, size: int, mode: Mode) -> Figures:
    people = ("--conns", str(size), "--senders", str(mode.senders), "--window", str(mode.window))
    return wsload("fanout", target, *people, "--warmup", "0.3", "--duration", "1", *BROADCASTS)


def _delays(plan: Plan, targets: dict[str, Target]) -> dict[str, list[Figures]]:
    plan.tell("delay at 200 receivers, 100 posts/s")
    load = ("--conns", "200", "--rate", "100", "--duration", "2.5")
    return {
        name: [wsload("rate", target, *load, *BROADCASTS) for _ in range(ROUNDS)]
        for name, target in targets.items()
    }


def _cost_row(results: Results, mode: Mode, size: int) -> Row:
    ours = results["palabre", mode, size]
    peer = results.get(("peer", mode, size))
    budget_us = BUDGETS_US.get((mode, size))
    return Row(
        f"fan-out to {size}, {mode.name}",
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
