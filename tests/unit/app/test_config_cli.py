"""The command line's root and `palabre config`, as a user calls them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from palabre.app.cli.config import app
from palabre.app.cli.failure import FAILED, MISUSED, tell, tell_unexpected
from palabre.app.cli.main import NOUNS, main
from palabre.app.settings import Settings, load_settings
from palabre.app.settings.report import MASK, rows
from palabre.kernel.errors import SetupError


def palabre(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    program = "from palabre.app.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={"HOME": str(cwd), "PATH": "/usr/bin:/bin", "COLUMNS": "200", **variables},
        check=False,
        timeout=60,
    )


def test_the_root_lists_every_noun_without_importing_a_server(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom palabre.app.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'uvicorn', 'fastapi', 'pydantic', 'openai'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.endswith("[]\n")
    assert all(f" {noun} " in done.stdout for noun in NOUNS)


def test_the_version_is_told(tmp_path: Path) -> None:
    assert palabre("--version", cwd=tmp_path).stdout.startswith("palabre ")


@pytest.mark.parametrize("noun", sorted(NOUNS))
def test_every_noun_has_a_command_with_help(noun: str) -> None:
    command = NOUNS[noun].load()
    assert command.name == noun
    assert command.help


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
    shown = palabre("config", "show", cwd=tmp_path, TTS_URL="http://x", PALABRE_LANGUAGE="en")
    assert "not used by this version yet: TTS_URL" in shown.stdout


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


def test_an_error_of_ours_is_one_message_and_exit_code_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert tell(SetupError()) == FAILED
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_an_error_of_ours_that_a_task_group_wrapped_is_told_as_itself(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrapped = ExceptionGroup("tasks", [ExceptionGroup("inner", [SetupError()])])
    assert tell(wrapped) == FAILED
    alone = capsys.readouterr().err
    tell(SetupError())
    assert alone == capsys.readouterr().err


def test_an_unexpected_error_leaves_its_trace_in_the_log_and_shows_a_reference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    with pytest.raises(ZeroDivisionError) as caught:
        _ = 1 / 0
    assert tell_unexpected(caught.value, settings) == FAILED
    log = (tmp_path / "data" / "logs" / "errors.log").read_text()
    reference = log.split()[1]
    assert "Traceback" in log
    told = capsys.readouterr().err
    assert reference in told
    assert "Traceback" not in told


def test_an_unknown_noun_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["confg"])
    assert left.value.code == MISUSED
    assert "config" in capsys.readouterr().err
