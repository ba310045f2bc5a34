"""`palabre doctor`: every check, with its fix, in both languages."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from palabre.app.cli.doctor import app, run_checks
from palabre.core.telemetry.checkup import Check, State
from palabre.features import doctor
from palabre.kernel.registry import discover
from palabre.testing.surroundings import GivenSurroundings
from palabre.texts import LANGUAGES, say

CHECKS = list(discover(doctor, "CHECK", Check))


async def test_all_is_good_where_all_is_well() -> None:
    findings = await run_checks(GivenSurroundings())
    assert list(findings) == CHECKS
    assert {"data_dir", "hearing", "media", "ollama", "personas", "speech", "web"} < set(CHECKS)
    assert {finding.level for finding in findings.values()} == {"good"}


@pytest.mark.parametrize("name", CHECKS)
async def test_what_is_not_well_comes_with_its_fix_in_every_language(name: str) -> None:
    questions = ("can_write", "can_listen", "is_palabre", "answers", "weights", "personas")
    unwell = dict.fromkeys(
        (*questions, "voices", "ears", "knowledge"), State(ok=False, detail="because")
    )
    machine = GivenSurroundings(unwell)
    finding = (await run_checks(machine))[name]
    assert finding.level != "good"
    assert finding.fix is not None
    assert all(
        say(finding.fix, language) and say(finding.found, language) for language in LANGUAGES
    )


def test_json_is_all_that_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "palabre.toml"
    file.write_text('data_dir = "data"\n[server]\nport = 0\n')
    result = CliRunner().invoke(app, ["--json", "--config", str(file)])
    assert {row["check"] for row in json.loads(result.stdout)} == set(CHECKS)
    assert result.exit_code == 0


def test_a_failure_exits_with_1(tmp_path: Path) -> None:
    file = tmp_path / "palabre.toml"
    file.write_text('data_dir = "palabre.toml/data"\n[server]\nport = 0\n')
    result = CliRunner().invoke(app, ["--config", str(file)])
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "1 point(s) à corriger."


def test_the_last_line_says_that_all_is_ready(tmp_path: Path) -> None:
    file = tmp_path / "palabre.toml"
    file.write_text('data_dir = "data"\n[server]\nport = 0\n')
    result = CliRunner().invoke(app, ["--config", str(file)])
    assert result.stdout.splitlines()[-1] == "Tout est prêt."
