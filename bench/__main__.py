"""`python -m bench`: measure, print the table, write it down."""

import resource
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bench import cold, fanout, history, idle, knowledge, lag, leave, relay, report, storage, voice
from bench.load import NotMeasuredError
from bench.machine import this_machine
from bench.peer import NoPeerError, Peer, install
from bench.plan import Plan
from bench.rows import Row
from bench.target import Launcher, StartError, leave_first_core

NARROWEST = 100
RESULTS = Path(__file__).parent / "results"


class Section(StrEnum):
    """What can be measured alone."""

    FANOUT = "fanout"
    RELAY = "relay"
    IDLE = "idle"
    LEAVE = "leave"
    COLD = "cold"
    KNOWLEDGE = "knowledge"
    HISTORY = "history"
    STORAGE = "storage"
    VOICE = "voice"


SECTIONS: dict[Section, Callable[[Plan], list[Row]]] = {
    Section.FANOUT: fanout.measure,
    Section.RELAY: relay.measure,
    Section.IDLE: idle.measure,
    Section.LEAVE: leave.measure,
    Section.COLD: cold.measure,
    Section.KNOWLEDGE: knowledge.measure,
    Section.HISTORY: history.measure,
    Section.STORAGE: storage.measure,
    Section.VOICE: voice.measure,
}


def bench(
    only: Annotated[list[Section] | None, typer.Option(help="Measure this section alone.")] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    peer: Annotated[bool, typer.Option(help="Measure the Node hub as well.")] = True,
    server: Annotated[
        str, typer.Option(metavar="COMMAND", help="Measure this instead; {port} is its port.")
    ] = "",
) -> None:
    """Measure a server of this checkout against its budgets.

    A figure over its budget is told, and is no failure; one that cannot be had is.
    """
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    leave_first_core()
    machine, remarks = this_machine(), list[str]()
    console = Console(stderr=as_json)
    console.width = max(console.width, NARROWEST)
    with console.status("") as status:
        plan = Plan(Launcher(server), _peer(remarks) if peer else None, status.update)
        rows = [row for name in only or list(Section) for row in _measure(name, plan)]
    rows += lag.measure(plan.stalls_s)
    console.print(report.table(rows, machine))
    for remark in remarks:
        console.print(remark, style="yellow")
    if as_json:
        sys.stdout.write(report.as_json(rows, machine, remarks))
    if not only and not server:
        console.print(f"Written: {report.write(RESULTS, rows, machine, remarks)}")
    raise typer.Exit(any(row.measured is None for row in rows))


def _peer(remarks: list[str]) -> Peer | None:
    try:
        return install()
    except NoPeerError as error:
        remarks.append(f"Node hub skipped: {': '.join(error.args)}")
        return None


def _measure(name: Section, plan: Plan) -> list[Row]:
    try:
        return SECTIONS[name](plan)
    except (NotMeasuredError, StartError) as error:
        return [Row(name, None, "", note=str(error))]


if __name__ == "__main__":
    typer.run(bench)
