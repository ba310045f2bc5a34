"""Idle connections: memory of each."""

import time

from bench.load import wsload
from bench.plan import Plan
from bench.rows import Row

CONNECTIONS = 1000

SETTLE_S = 6.0
"""Until what a server does once after its start is done: its memory is not the connections'."""


def measure(plan: Plan) -> list[Row]:
    """Open the connections to fresh servers and hold them."""
    plan.tell(f"{CONNECTIONS} idle connections")
    load = ("--conns", str(CONNECTIONS), "--hold", "2")
    with plan.both() as targets:
        time.sleep(SETTLE_S)
        figures = {name: wsload("idle", target, *load) for name, target in targets.items()}
    ours = figures["palabre"]
    return [
        Row(
            f"idle connection, one of {CONNECTIONS}",
            ours["rss_kb_per_conn"],
            "kB",
            40.0,
            figures["peer"]["rss_kb_per_conn"] if "peer" in figures else None,
            note=f"RSS {ours['rss0_mb']:.0f} -> {ours['rss1_mb']:.0f} MB, "
            f"opened at {ours['open_per_s']:.0f}/s",
        )
    ]
