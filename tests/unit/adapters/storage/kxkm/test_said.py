import gzip
import json
from pathlib import Path

from tests.support.kxkm import context, line

from palabre.adapters.storage.kxkm.said import SaidImport
from palabre.adapters.storage.kxkm.source import SourceFile
from palabre.adapters.storage.kxkm.tally import Tally

LOG = "chat-logs/v2-2026-03-20.jsonl"
CONTEXT = "context/_general.jsonl"


def put(folder: Path, name: str, *lines: str) -> SourceFile:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{each}\n" for each in lines))
    return SourceFile(path, name)


def texts(path: Path) -> list[str]:
    return [json.loads(each)["text"] for each in lines_of(path)]


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


def at(hour: int) -> str:
    return f"2026-03-20T{hour:02}:00:00.000Z"


def test_lines_come_among_those_that_are_here_which_keep_their_order(tmp_path: Path) -> None:
    ours = [line(at(10), "ana", "dix"), "{broken", line(at(9), "ana", "neuf"), "odd"]
    put(tmp_path / "here", LOG, *ours, line(at(12), "ana", "douze"))
    theirs = [line(at(11), "bob", "onze"), line(at(8), "bob", "huit"), line(at(10), "ana", "dix")]
    tally = Tally()
    log = put(tmp_path / "there", LOG, *theirs)
    SaidImport(tmp_path / "here", dry=False).take_log(log, tally)
    here = tmp_path / "here" / LOG
    words = [json.loads(each)["text"] for each in lines_of(here) if '"text"' in each]
    assert words == ["huit", "dix", "neuf", "onze", "douze"]
    assert lines_of(here)[1:5] == ours
    assert (tally.read, tally.taken, tally.known) == (3, 2, 1)


def test_of_equal_lines_as_many_are_here_as_were_there(tmp_path: Path) -> None:
    said = line(at(10), "ana", "oui")
    put(tmp_path / "here", LOG, said)
    tally = Tally()
    log = put(tmp_path / "there", LOG, said, said, said)
    SaidImport(tmp_path / "here", dry=False).take_log(log, tally)
    assert texts(tmp_path / "here" / LOG) == ["oui"] * 3
    assert (tally.taken, tally.known) == (2, 1)


def test_what_was_summarised_here_does_not_come_back(tmp_path: Path) -> None:
    old, new = context(at(9), "ana", "ancien"), context(at(10), "ana", "nouveau")
    put(tmp_path / "here", CONTEXT, new)
    archive = tmp_path / "here/context/archive/_general.20260320T100000000-1.jsonl.gz"
    archive.parent.mkdir()
    archive.write_bytes(gzip.compress(f"{old}\n".encode()))
    tally = Tally()
    theirs = put(tmp_path / "there", CONTEXT, old, new)
    SaidImport(tmp_path / "here", dry=False).take_context(theirs, tally)
    assert texts(tmp_path / "here" / CONTEXT) == ["nouveau"]
    assert (tally.taken, tally.known) == (0, 2)


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    tally = Tally()
    log = put(tmp_path / "there", LOG, line(at(10), "ana", "oui"))
    SaidImport(tmp_path / "here", dry=True).take_log(log, tally)
    assert tally.taken == 1
    assert not (tmp_path / "here").exists()
