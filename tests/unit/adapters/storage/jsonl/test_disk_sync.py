from pathlib import Path
from threading import Event

from palabre.adapters.storage.jsonl.disk_sync import DiskSync


def test_what_was_written_is_synced_after_a_while(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    refused = Event()
    sync = DiskSync(refused.set, every_s=0.01)
    sync.mark(str(tmp_path / "gone"))
    assert not refused.wait(0.1)
    sync.mark(str(tmp_path / "link"))  # only a refusal can be seen from outside
    assert refused.wait(10)
    sync.close()


def test_the_close_syncs_what_is_left_and_does_not_wait_for_its_turn(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    refusals: list[int] = []
    sync = DiskSync(lambda: refusals.append(1), every_s=600)
    sync.mark(str(tmp_path / "link"))
    sync.close()
    assert refusals == [1]


def test_a_failing_file_does_not_stop_later_syncs(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    refusals: list[int] = []
    again = Event()
    sync = DiskSync(lambda: (refusals.append(1), again.set())[1], every_s=0.01)
    for turn in (1, 2):
        again.clear()
        sync.mark(str(tmp_path / "link"))
        assert again.wait(10)
        assert len(refusals) == turn
    sync.close()
