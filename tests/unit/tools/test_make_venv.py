"""Setting up finds a Python, or says what to do."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "tools" / "make_venv.sh"
SHELL = shutil.which("sh") or "sh"


def stub(folder: Path, name: str, body: str) -> None:
    program = folder / name
    program.write_text(f"#!{SHELL}\n{body}\n")
    program.chmod(0o755)


def make_venv(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SHELL, str(SCRIPT), str(folder / "venv")],
        capture_output=True,
        text=True,
        env={"PATH": str(folder), **variables},
        check=False,
        timeout=30,
    )


@pytest.fixture
def ordinary_user(tmp_path: Path) -> Path:
    stub(tmp_path, "id", "echo 1000")
    return tmp_path


NEW_ENOUGH = """case "$2" in
    *sys.version_info*3,*) exit 0;;
    *ensurepip*) exit {pip};;
    *print*) echo 3.12;;
esac
[ "$1" = --version ] && echo "Python 3.12.0"
[ "$2" = venv ] && echo "made $3"
exit 0"""


def test_without_a_python_it_says_what_to_install(ordinary_user: Path) -> None:
    done = make_venv(ordinary_user)
    assert done.returncode == 1
    assert "apt-get install python3 python3-venv" in done.stderr


def test_a_python_that_is_too_old_is_passed_over(ordinary_user: Path) -> None:
    stub(ordinary_user, "python3", "exit 1")
    stub(ordinary_user, "python3.12", NEW_ENOUGH.format(pip=0))
    done = make_venv(ordinary_user)
    assert done.returncode == 0, done.stderr
    assert f"made {ordinary_user / 'venv'}" in done.stdout


def test_a_python_can_be_named(ordinary_user: Path) -> None:
    stub(ordinary_user, "mine", NEW_ENOUGH.format(pip=0))
    assert make_venv(ordinary_user, PYTHON="mine").returncode == 0


def test_an_ordinary_user_is_told_which_package_is_missing(ordinary_user: Path) -> None:
    stub(ordinary_user, "python3", NEW_ENOUGH.format(pip=1))
    done = make_venv(ordinary_user)
    assert done.returncode == 1
    assert "apt-get install python3.12-venv" in done.stderr


def test_root_gets_the_missing_package_installed(tmp_path: Path) -> None:
    stub(tmp_path, "id", "echo 0")
    stub(tmp_path, "apt-get", f'echo "$@" >> {tmp_path}/apt.log')
    stub(tmp_path, "python3", NEW_ENOUGH.format(pip=1))
    assert make_venv(tmp_path).returncode == 0
    assert "python3.12-venv" in (tmp_path / "apt.log").read_text()
