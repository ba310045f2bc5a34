"""The command line's root, as a user calls it."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.command import palabre

from palabre.app.cli.failure import MISUSED
from palabre.app.cli.main import NOUNS, main


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


def test_an_unknown_noun_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["confg"])
    assert left.value.code == MISUSED
    assert "config" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["10.0.0.0/33", "the office", "10.0.0.1 10.0.0.2"])
def test_a_network_of_administrators_that_is_none_keeps_the_server_from_starting(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ADMIN_SUBNET", value)
    with pytest.raises(SystemExit) as left:
        main(["serve", "--port", "0"])
    assert left.value.code == MISUSED
    assert "ADMIN_SUBNET" in capsys.readouterr().err
