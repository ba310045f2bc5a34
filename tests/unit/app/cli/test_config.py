"""`palabre config`, as a user calls it."""

import json
from pathlib import Path

from tests.support.command import palabre
from typer.testing import CliRunner

from palabre.app.cli.config import app
from palabre.app.cli.failure import MISUSED
from palabre.app.settings import load_settings
from palabre.app.settings.report import MASK, rows


def test_show_says_value_and_origin_and_masks_secrets(tmp_path: Path) -> None:
    (tmp_path / "palabre.toml").write_text("[server]\nport = 4000\n")
    shown = palabre("config", "show", cwd=tmp_path, DATABASE_URL="postgresql://u:pass@h/d")
    assert shown.returncode == 0, shown.stderr
    port = next(
        line for line in shown.stdout.splitlines() if line.strip().startswith("server.port")
    )
    assert "4000" in port
    assert port.rstrip().endswith("palabre.toml")
    assert "défaut" in shown.stdout
    assert "pass@" not in shown.stdout
    assert MASK in shown.stdout


def test_show_names_known_variables_that_do_nothing_yet(tmp_path: Path) -> None:
    shown = palabre(
        "config", "show", cwd=tmp_path, CHATSERVER_CONFIG_DIR="x", PALABRE_LANGUAGE="en"
    )
    assert "not used by this version yet: CHATSERVER_CONFIG_DIR" in shown.stdout


def test_show_as_json_holds_every_key(tmp_path: Path) -> None:
    shown = palabre("config", "show", "--json", cwd=tmp_path, PALABRE_SERVER__PORT="4001")
    report = json.loads(shown.stdout)
    by_key = {row["key"]: row for row in report["settings"]}
    assert by_key["server.port"]["value"] == 4001
    assert by_key["server.port"]["origin"]["place"] == "PALABRE_SERVER__PORT"
    assert report["file"] is None


def test_wrong_settings_exit_with_2_and_name_every_mistake(tmp_path: Path) -> None:
    done = palabre(
        "config", "show", cwd=tmp_path, PALABRE_SERVER__PORT="x", PALABRE_LOGS__LEVEL="y"
    )
    assert done.returncode == MISUSED
    assert "PALABRE_SERVER__PORT" in done.stderr
    assert "PALABRE_LOGS__LEVEL" in done.stderr
    assert "Traceback" not in done.stderr


def test_path_prints_the_file_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "palabre.toml").write_text("")
    assert palabre("config", "path", cwd=tmp_path).stdout.strip() == str(tmp_path / "palabre.toml")


def test_check_reads_the_file_alone(tmp_path: Path) -> None:
    good = tmp_path / "good.toml"
    good.write_text('language = "en"\n')
    result = CliRunner().invoke(app, ["check", str(good)])
    assert result.output.strip() == f"{good} is correct."


def test_check_refuses_what_must_not_start(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('[server]\nhost = "192.168.1.5"\n')
    done = palabre("config", "check", "bad.toml", cwd=tmp_path)
    assert done.returncode == MISUSED
    assert "--insecure" in done.stderr


def test_servers_of_the_users_own_are_rows_too(tmp_path: Path) -> None:
    (tmp_path / "palabre.toml").write_text('[models.openai.lab]\nbase_url = "http://x/v1"\n')
    shown = {row.key: row.value for row in rows(load_settings(environ={}, cwd=tmp_path))}
    assert shown["models.openai.lab.base_url"] == "http://x/v1"
