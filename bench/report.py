"""The table, on the screen and in files."""

import json
from dataclasses import asdict
from pathlib import Path

from rich.box import SIMPLE
from rich.table import Table

from bench.machine import Machine
from bench.rows import Row

_HEAD = ("what", "measured", "budget", "verdict", "Node hub (ratio)", "note")
_COLORS = {"pass": "green", "over": "red", "not measured": "yellow", "-": "dim"}


def table(rows: list[Row], machine: Machine) -> Table:
    """Return the rows for a terminal."""
    shown = Table(box=SIMPLE, caption=str(machine), caption_justify="left")
    for title in _HEAD[:-1]:
        shown.add_column(title, no_wrap=True)
    for row in rows:
        cells = _cells(row)
        shown.add_row(*cells[:3], f"[{_COLORS[row.verdict]}]{row.verdict}[/]", cells[4])
        if row.measured is None:
            shown.add_row(f"  [yellow]{row.note}[/]")
    return shown


def as_json(rows: list[Row], machine: Machine, remarks: list[str]) -> str:
    """Return all that was found, for programs."""
    told = [asdict(row) | {"verdict": row.verdict, "ratio": row.ratio} for row in rows]
    found = {"machine": asdict(machine), "remarks": remarks, "rows": told}
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def as_markdown(rows: list[Row], machine: Machine, remarks: list[str]) -> str:
    """Return the table with its surroundings, for people."""
    lines = [f"# Bench of {machine.date}, commit {machine.commit}", "", f"{machine}.", ""]
    lines += [f"- {remark}" for remark in remarks] + [""] * bool(remarks)
    lines += [_line(_HEAD), _line(("---",) * len(_HEAD))]
    return "\n".join([*lines, *(_line(_cells(row)) for row in rows)]) + "\n"


def write(folder: Path, rows: list[Row], machine: Machine, remarks: list[str]) -> Path:
    """Write `<date>-<commit>.json` and `.md` into *folder*; return the latter."""
    folder.mkdir(exist_ok=True)
    name = f"{machine.date}-{machine.commit.rstrip('+')}"
    (folder / f"{name}.json").write_text(as_json(rows, machine, remarks), encoding="utf-8")
    page = folder / f"{name}.md"
    page.write_text(as_markdown(rows, machine, remarks), encoding="utf-8")
    return page


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.what,
        _figure(row.measured, row.unit),
        _budget(row),
        row.verdict,
        f"{_figure(row.peer, row.unit)} ({row.ratio:.2f})" if row.ratio else "",
        row.note,
    )


def _budget(row: Row) -> str:
    if row.budget is None:
        return ""
    share = f" or {row.share:.2f} x" if row.share and row.peer else ""
    return f"<= {_figure(row.budget, row.unit)}{share}"


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    digits = 0 if value == int(value) else 2 if abs(value) < 100 else 1
    return f"{value:.{digits}f} {unit}".strip()


def _line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"
