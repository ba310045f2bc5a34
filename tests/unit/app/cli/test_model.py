"""`palabre model`, as a user calls it, against a simulated Ollama and an empty cache."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.command import palabre
from tests.support.in_thread import in_thread
from typer.testing import CliRunner, Result

from palabre.app.cli.model import app
from palabre.kernel.errors import PalabreError
from palabre.testing.ollama import running

SCRIPT = """
tokens_per_s = 100000
first_token_delay_s = 0
pull = { duration_s = 0, steps = 2 }

[[model]]
name = "qwen3:8b"

[[model]]
name = "nomic-embed-text"
family = "nomic-bert"
capabilities = ["embedding"]
"""


@pytest.fixture(scope="module")
def ollama_url() -> Iterator[str]:
    """A simulated Ollama in a thread of its own: the commands have their own loops."""
    with in_thread(running(SCRIPT)) as url:
        yield url


@pytest.fixture
def config(tmp_path: Path, ollama_url: str) -> Path:
    return written(tmp_path, f'[models.ollama]\nurl = "{ollama_url}"\n')


def written(folder: Path, models: str) -> Path:
    file = folder / "palabre.toml"
    cache = folder / "cache"
    file.write_text(
        f'cache_dir = "{cache}"\n{models}\n[models.embedded]\nhub = ""\ntier = "tiny"\n'
    )
    return file


def palabre_model(*arguments: str, config: Path) -> Result:
    return CliRunner().invoke(app, [*arguments, "--config", str(config)])


def test_list_shows_what_is_installed_and_what_can_be_fetched(config: Path) -> None:
    report = json.loads(palabre_model("list", "--json", config=config).stdout)
    assert report["providers"]["ollama"]["ok"]
    assert not report["providers"]["embedded"]["ok"]
    by_ref = {model["ref"]: model["capabilities"] for model in report["models"]}
    by_ref.pop("embedded/multilingual-e5-small", None)  # where the extra is installed
    assert by_ref == {
        "ollama/qwen3:8b": ["chat"],
        "ollama/nomic-embed-text:latest": ["embed"],
    }
    weights = {each["name"]: each for each in report["weights"]}
    assert weights["qwen2.5-coder-0.5b"]["tiers"] == ["tiny"]
    assert not any(each["installed"] for each in report["weights"])


def test_list_is_a_table_for_people(config: Path) -> None:
    result = palabre_model("list", config=config)
    assert result.exit_code == 0
    assert "ollama/qwen3:8b" in result.stdout
    assert "à télécharger" in result.stdout


def test_test_prints_the_answer_and_its_speed(config: Path) -> None:
    result = palabre_model("test", config=config)
    assert result.exit_code == 0
    assert "ollama/qwen3:8b" in result.stdout
    assert "jetons par seconde" in result.stdout


def test_test_says_which_model_stands_in(config: Path) -> None:
    trial = json.loads(palabre_model("test", "absent", "--json", config=config).stdout)
    assert (trial["asked"], trial["model"]) == ("absent", "ollama/qwen3:8b")
    assert trial["substituted"]
    assert trial["answer"]
    assert trial["tokens"] > 1


def test_test_tells_a_stand_in_once_and_in_the_users_language(tmp_path: Path, config: Path) -> None:
    done = palabre("model", "test", "absent", "--config", str(config), cwd=tmp_path)
    assert done.stdout.count("absent") == 1
    assert not done.stderr


def test_pull_lets_ollama_fetch(config: Path) -> None:
    result = palabre_model("pull", "ollama/mistral", config=config)
    assert result.exit_code == 0, result.output
    assert "ollama/mistral est prêt." in result.stdout


def test_pull_of_an_unknown_name_is_a_wrong_call_and_names_the_known_ones(config: Path) -> None:
    result = palabre_model("pull", "huge", config=config)
    assert result.exit_code == 2
    assert "qwen2.5-coder-0.5b" in result.output


def test_without_any_model_test_fails_and_says_what_to_do(tmp_path: Path) -> None:
    config = written(tmp_path, '[models.ollama]\nurl = "http://127.0.0.1:9"\n')
    result = palabre_model("test", config=config)
    assert isinstance(result.exception, PalabreError)
    assert result.exception.code == "no_model"


def test_help_has_examples() -> None:
    for command in ("list", "pull", "test"):
        result = CliRunner().invoke(app, [command, "--help"])
        assert "palabre model" in result.stdout
