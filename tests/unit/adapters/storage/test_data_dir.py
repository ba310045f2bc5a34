import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from palabre.adapters.storage.data_dir import (
    DataDirBusyError,
    DataDirLock,
    DataDirUnusableError,
    make_private,
)
from palabre.texts import say

HOLD = """
import sys
from pathlib import Path
from palabre.adapters.storage.data_dir import DataDirLock
lock = DataDirLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_directory_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    make_private(tmp_path / "a" / "b")
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700


def test_a_directory_that_others_could_read_is_shut(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


def test_a_second_holder_is_told_who_the_first_is(tmp_path: Path) -> None:
    first = DataDirLock(tmp_path / "data")
    with pytest.raises(DataDirBusyError) as refusal:
        DataDirLock(tmp_path / "data")
    assert refusal.value.data == {"path": str(tmp_path / "data"), "pid": str(os.getpid())}
    assert str(os.getpid()) in say(refusal.value.text, "fr")
    assert str(os.getpid()) in say(refusal.value.text, "en")
    first.release()
    first.release()
    DataDirLock(tmp_path / "data").release()


def test_a_killed_holder_holds_no_more(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        with pytest.raises(DataDirBusyError) as refusal:
            DataDirLock(tmp_path)
        assert refusal.value.data["pid"] == str(holder.pid)
        holder.kill()
        holder.wait()
        DataDirLock(tmp_path).release()


def test_a_file_where_the_directory_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    for attempt in (DataDirLock, make_private):
        with pytest.raises(DataDirUnusableError) as refusal:
            attempt(tmp_path / "data")
        assert refusal.value.data == {"path": str(tmp_path / "data"), "detail": "File exists"}
        assert "File exists" in say(refusal.value.text)


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("precious")
    (tmp_path / "palabre.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataDirUnusableError):
        DataDirLock(tmp_path)
    assert (tmp_path / "elsewhere").read_text() == "precious"
