"""`palabre doctor`: look at this machine and say how to mend what is wrong."""

import asyncio

import typer

from palabre.app.cli.console import plain_console, shown_json
from palabre.app.cli.failure import FAILED
from palabre.app.cli.options import ConfigOption, JsonOption
from palabre.app.logs import configure_logs
from palabre.app.settings import load_settings
from palabre.app.surroundings import ThisMachine
from palabre.core.telemetry.checkup import Check, Finding, Surroundings
from palabre.features import doctor
from palabre.kernel.registry import discover
from palabre.kernel.text import text
from palabre.texts import Language, say

app = typer.Typer()
MARKS = {"good": ("+", "green"), "warning": ("!", "yellow"), "failure": ("x", "red")}


@app.command()
def examine(*, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Check this machine and say how to mend what is wrong; exit code 1 if anything is.

    **Examples**

    `palabre doctor`

    `palabre doctor --json`
    """
    settings = load_settings(config=config).settings
    configure_logs("warning", settings.logs.format)
    findings = asyncio.run(run_checks(ThisMachine(settings)))
    if as_json:
        typer.echo(_as_json(findings, settings.language))
    else:
        _print(findings, settings.language)
    if _failures(findings):
        raise typer.Exit(FAILED)


async def run_checks(machine: Surroundings) -> dict[str, Finding]:
    """Run every check against *machine*, all at once; return the findings by name."""
    checks = discover(doctor, "CHECK", Check)
    found = await asyncio.gather(*(check.run(machine) for check in checks.values()))
    return dict(zip(checks, found, strict=True))


def _print(findings: dict[str, Finding], language: Language) -> None:
    console = plain_console()
    for finding in findings.values():
        mark, color = MARKS[finding.level]
        console.print(f"{mark} {say(finding.found, language)}", style=color, soft_wrap=True)
        if finding.fix:
            console.print(f"  {say(finding.fix, language)}", soft_wrap=True)
    failures = _failures(findings)
    verdict = text("cli.doctor.mend", count=failures) if failures else text("cli.doctor.ready")
    console.print(say(verdict, language), style="bold", soft_wrap=True)


def _failures(findings: dict[str, Finding]) -> int:
    return sum(finding.level == "failure" for finding in findings.values())


def _as_json(findings: dict[str, Finding], language: Language) -> str:
    report = [
        {
            "check": name,
            "level": finding.level,
            "found": say(finding.found, language),
            "fix": say(finding.fix, language) if finding.fix else None,
        }
        for name, finding in findings.items()
    ]
    return shown_json(report)
