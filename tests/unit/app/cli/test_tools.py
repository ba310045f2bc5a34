import json
import sys
from functools import partial
from pathlib import Path

import pytest
from tests.support.command import exit_code


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path


run = partial(exit_code, "tools")


def test_list_says_who_may_use_a_tool_and_what_is_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("list") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[:2] for line in lines if line[:1] == ["-"]] == [
        ["-", "image_generate"],
        ["-", "rag_search"],
        ["-", "web_search"],
    ]


def test_list_as_json_holds_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:9")
    assert run("list", "--json") == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["web_search"]["available"] is True
    assert rows["web_search"]["personas"] == ["Sherlock"]
    assert rows["image_generate"]["personas"] == ["Picasso"]
    assert rows["image_generate"]["reason"].startswith("no picture server")
    assert "Pharmacius" not in rows["rag_search"]["personas"]


def test_a_source_that_does_not_start_is_listed_with_the_reason(
    capsys: pytest.CaptureFixture[str], data_dir: Path
) -> None:
    source = f'[tools.mcp.lab]\ncommand = "{sys.executable}"\nargs = ["-c", "pass"]'
    (data_dir / "palabre.toml").write_text(source, encoding="utf-8")
    assert run("list", "--json") == 0
    row = next(row for row in json.loads(capsys.readouterr().out) if "mcp" in row["name"])
    assert (row["name"], row["personas"], row["available"]) == ("mcp:lab/*", [], False)
    assert row["reason"].startswith("the MCP server lab is out of reach")


@pytest.mark.parametrize("content", [None, b"no database" * 1000])
def test_a_database_that_cannot_be_opened_costs_the_tool_that_needs_it_alone(
    content: bytes | None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    data_dir: Path,
) -> None:
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:9")
    if content is None:
        (data_dir / "palabre.db").mkdir()
    else:
        (data_dir / "palabre.db").write_bytes(content)
    assert run("list", "--json") == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["web_search"]["available"] is True
    assert rows["rag_search"]["available"] is False
    assert "database" in rows["rag_search"]["reason"]
    assert run("try", "rag_search", "query=bruit") != 0
    assert rows["rag_search"]["reason"] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["web_search", "query=x"], "no search engine is configured"),
        (["web_search"], "Il manque l'argument query"),
        (["web_search", "query=3"], "doit être de type string"),
        (["nope"], "No tool is called nope"),
        (["mcp:lab/x"], "No tool is called mcp:lab/x"),
        (["image_generate", "prompt=x"], "try it in a room"),
    ],
)
def test_what_cannot_be_tried_says_why(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("try", *arguments) != 0
    assert words in capsys.readouterr().err


def test_what_a_tool_found_is_printed_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("try", "rag_search", "query=bruit", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report == {"tool": "rag_search", "found": "(Aucun résultat)"}


def test_a_tool_that_finds_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("try", "rag_search", "query=bruit") == 0
    assert capsys.readouterr().out.strip() == "(Aucun résultat)"
