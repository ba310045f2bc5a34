"""`palabre model test-tts` and `test-stt` against a simulated speech server."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.in_thread import in_thread
from typer.testing import CliRunner, Result

from palabre.adapters.speech.wav import read_wav
from palabre.app.cli.model import app
from palabre.core.speech.errors import NotARecordingError, NothingToSayError
from palabre.testing.simulators import speech
from palabre.testing.speech import silence


@pytest.fixture(scope="module")
def speech_url() -> Iterator[str]:
    """A simulated speech server in a thread of its own: the commands have their own loops."""
    with in_thread(speech()) as url:
        yield url


@pytest.fixture
def config(tmp_path: Path, speech_url: str) -> Path:
    file = tmp_path / "palabre.toml"
    file.write_text(
        f'language = "en"\ncache_dir = "{tmp_path}"\n'
        f'[speech]\nengine = "sidecar"\nurl = "{speech_url}"\n'
        f'[speech.stt.openai]\nbase_url = "{speech_url}/v1"\n'
    )
    return file


def palabre_model(*arguments: str, config: Path) -> Result:
    return CliRunner().invoke(app, [*arguments, "--config", str(config)])


def test_a_text_is_said_and_its_recording_read(config: Path, tmp_path: Path) -> None:
    out = tmp_path / "said.wav"
    said = palabre_model("test-tts", "--out", str(out), "--json", "Bonjour Marie.", config=config)
    report = json.loads(said.stdout)
    assert report["engine"].endswith("/tts")
    assert report["file"] == str(out)
    assert report["sound_s"] == pytest.approx(read_wav(out.read_bytes()).duration_s, abs=0.01)
    heard = palabre_model("test-stt", str(out), "--json", config=config)
    assert json.loads(heard.stdout)["model"] == "whisper-1"


def test_people_read_figures(config: Path, tmp_path: Path) -> None:
    out = tmp_path / "said.wav"
    said = palabre_model("test-tts", "--out", str(out), "Bonjour Marie.", config=config)
    assert "/tts: " in said.stdout
    assert "Written to" in said.stdout
    assert "s of sound in" in palabre_model("test-stt", str(out), config=config).stdout


def test_silence_is_told_as_such(config: Path, tmp_path: Path) -> None:
    file = tmp_path / "silence.wav"
    file.write_bytes(silence(1))
    heard = palabre_model("test-stt", str(file), config=config)
    assert heard.exit_code == 0
    assert "Nothing was recognised" in heard.stdout


def test_what_is_no_recording_is_refused(config: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.txt"
    file.write_text("Bonjour.")
    heard = palabre_model("test-stt", str(file), config=config)
    assert isinstance(heard.exception, NotARecordingError)
    assert heard.exception.data["mime"] == "text/plain"


def test_a_place_that_cannot_be_written_is_a_wrong_call(config: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "absent" / "said.wav")
    assert palabre_model("test-tts", "--out", out, "Bonjour.", config=config).exit_code == 2


def test_nothing_to_say_is_told(config: Path) -> None:
    said = palabre_model("test-tts", "🎉", config=config)
    assert isinstance(said.exception, NothingToSayError)


def test_help_has_examples() -> None:
    for command in ("test-tts", "test-stt"):
        result = CliRunner().invoke(app, [command, "--help"])
        assert f"palabre model {command}" in result.stdout
