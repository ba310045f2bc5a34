import asyncio
import json
from functools import partial
from pathlib import Path

import pytest
from tests.support.command import exit_code

from palabre.adapters.storage.sql.address import FILE_NAME
from palabre.app.audit import opened_ledger
from palabre.app.settings import Settings
from palabre.core.audit.model import THE_MACHINE, Entry, EntryFilter
from palabre.testing.cards import as_base64, as_json, charx, png, t_ext, v2_card, v3_card
from palabre.testing.clock import FrozenClock
from palabre.wire.cards.card_file import read_card


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data"


run = partial(exit_code, "persona")


def book(data_dir: Path) -> list[Entry]:
    async def read() -> list[Entry]:
        async with opened_ledger(Settings(data_dir=data_dir), FrozenClock()) as ledger:
            return list(await ledger.entries(EntryFilter(), 10))

    return asyncio.run(read())


def test_an_import_says_where_the_persona_is_what_to_mend_and_how_to_meet_it(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("alice.png").write_bytes(png(t_ext("chara", as_base64(v2_card()))))
    assert run("import", "alice.png") == 0
    out = capsys.readouterr().out
    assert f"alice.png: Alice is in {data_dir / 'personas/alice.toml'}." in out
    assert "Alice: the prompt has" in out
    assert out.endswith("Type /reload in a room, then @Alice.\n")
    assert run("show", "alice") == 0


def test_each_import_is_in_the_book_and_a_refused_one_is_not(data_dir: Path) -> None:
    Path("a.json").write_bytes(as_json(v3_card()))
    Path("b.png").write_bytes(png())
    assert run("import", "a.json", "b.png") == 1
    (entry,) = book(data_dir)
    assert (entry.actor, entry.action, entry.target) == (THE_MACHINE, "persona.import", "alice")
    size_bytes = Path("a.json").stat().st_size
    assert json.loads(entry.after) == {"name": "Alice", "bytes": size_bytes}


def test_what_cannot_be_written_in_the_book_is_not_kept(data_dir: Path) -> None:
    (data_dir / FILE_NAME).mkdir(parents=True)
    Path("a.json").write_bytes(as_json(v3_card()))
    assert run("import", "a.json") == 1
    assert not list((data_dir / "personas").glob("alice*"))


def test_files_of_one_name_stand_beside_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.json").write_bytes(as_json(v3_card()))
    Path("b.charx").write_bytes(charx(v3_card(name="Batty")))
    assert run("import", "a.json", "a.json", "b.charx", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert [(each["id"], each["nick"]) for each in report["imported"]] == [
        *(("alice", "Alice"), ("alice-2", "Alice-2"), ("batty-2", "Batty-2"))
    ]
    assert report["imported"][1]["remarks"][0]["code"] == "card.remark.renamed"
    assert report["refused"] == []


def test_a_file_without_a_card_fails_and_the_others_come_in(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("a.json").write_bytes(as_json(v3_card()))
    Path("b.png").write_bytes(png())
    assert run("import", "b.png", "a.json") == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("b.png: There is no card inside.")
    assert "a.json: Alice is in" in captured.out
    assert run("import", "b.png", "--json") == 1
    assert json.loads(capsys.readouterr().out)["refused"][0]["file"] == "b.png"


def test_a_wish_for_an_id_is_heard_for_one_file_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.json").write_bytes(as_json(v3_card()))
    assert run("import", "a.json", "--as", "girl") == 0
    assert run("import", "a.json", "--as", "girl") == 2
    assert "called girl already" in capsys.readouterr().err
    assert run("import", "a.json", "a.json", "--as", "other") == 2
    assert run("import", "nowhere.json") == 2


def test_an_export_is_what_other_programs_read(capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("json", "png", "charx"):
        assert run("export", "Batty", "--format", form) == 0
        assert f"batty.{form}" in capsys.readouterr().out
        card = read_card(Path(f"batty.{form}").read_bytes())
        assert (card.format, card.document.fields.name) == (form, "Batty")


def test_an_export_overwrites_nothing_and_takes_its_format_from_its_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("export", "batty", "--out", "b.PNG", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["format"], report["sizeBytes"]) == ("png", Path("b.PNG").stat().st_size)
    assert run("export", "batty", "--out", "b.PNG") == 2
    assert "b.PNG exists already" in capsys.readouterr().err
    assert run("export", "batty", "--out", "no/where.json") == 1
    assert run("export", "nobody") == 2
    assert run("export", "batty", "--format", "webp") == 2


def test_an_export_can_go_to_the_standard_output(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert run("export", "batty", "--out", "-") == 0
    assert json.loads(capfdbinary.readouterr().out)["spec"] == "chara_card_v3"
    assert list(Path.cwd().glob("batty*")) == []


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("import", "--help") == 0
    assert "palabre persona import alice.png" in capsys.readouterr().out
