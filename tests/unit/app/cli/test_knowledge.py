import io
import json
import sys
from functools import partial
from pathlib import Path

import pytest
from tests.support.command import exit_code


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {
        "PALABRE_DATA_DIR": str(tmp_path / "data"),
        "PALABRE_CACHE_DIR": str(tmp_path / "cache"),
        "PALABRE_LANGUAGE": "en",
        "PALABRE_MODELS__EMBEDDED__ENABLED": "false",
        "OLLAMA_URL": "http://127.0.0.1:9",
        "COLUMNS": "200",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return tmp_path


run = partial(exit_code, "knowledge")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> object:
    run(*arguments, "--json")
    return json.loads(capsys.readouterr().out)


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_without_an_embedder_a_document_is_kept_and_the_exit_code_says_that_it_waits(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("moka.md", "# Moka\n\nLe chat Moka dort sur la presse.")
    assert run("add", "moka.md") == 1
    assert "1 of 1 passage waits for its vector" in capsys.readouterr().out
    [listed] = printed(capsys, "list")
    assert (listed["title"], listed["state"], listed["chunks"]) == ("Moka", "words", 1)
    [found] = printed(capsys, "search", "où dort Moka")
    assert (found["wordsRank"], found["similarity"]) == (1, None)
    assert run("reindex") == 1


def test_a_folder_tells_of_each_file_and_one_that_is_refused_stops_no_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("docs/a.md", "Le four monte.")
    write("docs/b.txt", " \n ")
    write("docs/c.md", "La ruche dort.")
    outcomes = printed(capsys, "add", "docs")
    assert [each["status"] for each in outcomes] == ["waiting", "refused", "waiting"]
    assert "nothing to index" in outcomes[1]["reason"]
    assert run("add", "docs") == 1
    assert "2 waiting, 1 refused" in capsys.readouterr().out


def test_what_is_piped_is_indexed_under_its_title(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    piped = io.TextIOWrapper(io.BytesIO(b"Des abeilles."))
    monkeypatch.setattr(sys, "stdin", piped)
    run("add", "-", "--title", "Ruche")
    capsys.readouterr()
    [listed] = printed(capsys, "list")
    assert (listed["title"], listed["source"]) == ("Ruche", "Ruche")


def test_a_document_is_shown_and_removed_by_its_title(capsys: pytest.CaptureFixture[str]) -> None:
    write("moka.md", "# Moka\n\nLe chat [b]dort[/b].")
    run("add", "moka.md")
    capsys.readouterr()
    assert run("show", "moka") == 0
    assert "Le chat [b]dort[/b]." in capsys.readouterr().out
    assert run("remove", "Moka") == 0
    assert capsys.readouterr().out == "Moka is removed.\n"
    assert printed(capsys, "list") == []
    assert run("list") == 0
    assert "No document." in capsys.readouterr().out


def test_wrong_names_are_misuse(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("add", "absent.md") == 2
    assert run("remove", "absent") == 2
    assert "No document is called absent" in capsys.readouterr().err


def test_an_exam_without_documents_or_embedder_fails_and_says_what_to_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("exam") == 2
    assert "first add documents" in capsys.readouterr().err
    assert run("exam", "--shipped") == 1
    assert run("search", "Moka", "--mode", "vectors") == 1


@pytest.mark.parametrize("command", ["add", "list", "show", "remove", "search", "reindex", "exam"])
def test_every_command_has_help_with_examples(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command, "--help") == 0
    out = capsys.readouterr().out
    assert "Examples" in out
    assert "--json" in out
