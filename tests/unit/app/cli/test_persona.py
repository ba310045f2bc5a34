import json
from functools import partial
from pathlib import Path

import pytest
from tests.support.command import exit_code

GARDENER = """
nick = "Jardinier"
color = "#4fc3f7"
model = "qwen3:8b"
summary = "Il arrose."
prompt = "Tu es jardinier."
"""


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path


run = partial(exit_code, "persona")


def test_list_prints_every_persona_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 34
    assert lines[0].split()[:2] == ["Schaeffer", "qwen3:8b"]


def test_list_as_json_holds_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert (len(listed), listed[1]["id"], listed[1]["color"]) == (34, "batty", "#ef5350")


@pytest.mark.parametrize("name", ["Fratellini", "@fratellini", "cirque"])
def test_show_finds_a_persona_by_nick_or_id(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", name) == 0
    out = capsys.readouterr().out
    assert out.startswith("Fratellini Famille de clowns")
    assert "Tu es Fratellini" in out


def test_show_says_when_the_wished_model_is_not_installed(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OLLAMA_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("PALABRE_CACHE_DIR", str(data_dir))
    assert run("show", "Batty") == 0
    captured = capsys.readouterr()
    assert "model: qwen3:8b (not installed)" in captured.out
    assert not captured.err


def test_show_as_json_holds_the_whole_persona(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "Batty", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["examples"][0]["question"] == "Bonjour, qui es-tu ?"


def test_show_of_nobody_fails_and_names_who_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "Personne") == 2
    assert "Schaeffer, Batty" in capsys.readouterr().err


def test_lint_finds_nothing_to_say_about_those_that_come_along(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("lint") == 0
    assert capsys.readouterr().out == "34 persona(s) read, nothing to say.\n"


def test_lint_of_a_draft_compares_it_with_the_others(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = data_dir / "jardinier.toml"
    draft.write_text(GARDENER, encoding="utf-8")
    assert run("lint", str(draft), "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["problems"] == []
    assert [(advice["persona"], advice["code"]) for advice in report["advice"]] == [
        ("jardinier", "prompt_words"),
        ("jardinier", "no_short_prompt"),
        ("jardinier", "no_examples"),
        ("jardinier", "similar_color"),
    ]


def test_lint_fails_when_a_draft_takes_a_name(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = data_dir / "jardinier.toml"
    draft.write_text(GARDENER.replace("Jardinier", "batty"), encoding="utf-8")
    assert run("lint", str(draft)) == 1
    assert "batty is the name of the persona of" in capsys.readouterr().err


def test_lint_as_json_reports_problems_and_fails(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = data_dir / "personas"
    own.mkdir()
    (own / "jardinier.toml").write_text(GARDENER + "colour = 1", encoding="utf-8")
    assert run("lint", "--json") == 1
    problem, *more = json.loads(capsys.readouterr().out)["problems"]
    assert (problem["code"], problem["data"], more) == (
        "unknown_key_near",
        {"key": "colour", "nearest": "color"},
        [],
    )


@pytest.mark.parametrize("call", [["list"], ["show", "Batty"]])
def test_others_are_listed_and_shown_beside_a_broken_file_which_is_named(
    call: list[str], data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data_dir / "topics.toml").write_text("topic = 1", encoding="utf-8")
    assert run(*call) == 0
    captured = capsys.readouterr()
    assert f"{data_dir / 'topics.toml'}: unknown key topic" in captured.err
    assert "Batty" in captured.out


def test_lint_of_one_file_is_silent_about_the_others(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = data_dir / "personas"
    own.mkdir()
    (own / "broken.toml").write_text("=", encoding="utf-8")
    draft = data_dir / "jardinier.toml"
    draft.write_text(GARDENER, encoding="utf-8")
    assert run("lint", str(draft)) == 0
    assert "broken" not in "".join(capsys.readouterr())


def test_own_personas_win(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = data_dir / "personas"
    own.mkdir()
    (own / "batty.toml").write_text("enabled = false", encoding="utf-8")
    (own / "jardinier.toml").write_text(GARDENER, encoding="utf-8")
    assert run("list") == 0
    nicks = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert "Batty" not in nicks
    assert nicks[-1] == "Jardinier"
