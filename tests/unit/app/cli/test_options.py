import json
from importlib import import_module
from pathlib import Path

import pytest
from tests.support.command import exit_code
from typer.main import get_group

GROUPS = ("audit", "data", "persona", "token", "user")


@pytest.mark.parametrize("group", GROUPS)
def test_each_command_that_reads_the_settings_takes_another_data_dir(group: str) -> None:
    commands = get_group(import_module(f"palabre.app.cli.{group}").app).commands
    names = {name: {part.name for part in each.params} for name, each in commands.items()}
    assert any("config" in parts for parts in names.values())
    assert {name for name, parts in names.items() if "config" in parts} == {
        name for name, parts in names.items() if "data_dir" in parts
    }


def test_what_is_done_in_a_named_data_dir_is_there_and_not_in_that_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path / "data"))
    other = str(tmp_path / "other")
    assert exit_code("token", "create", "notebook", "--scope", "chat", "--data-dir", other) == 0
    capsys.readouterr()
    assert exit_code("audit", "list", "--json", "--data-dir", other) == 0
    assert [each["action"] for each in json.loads(capsys.readouterr().out)["entries"]] == [
        "api_key.create"
    ]
    assert not (tmp_path / "data").exists()
