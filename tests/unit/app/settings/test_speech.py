from pathlib import Path

import pytest

from palabre.app.settings import SettingsError, load_settings
from palabre.app.settings.speech import SpeechSettings
from palabre.texts import say


def load(folder: Path, toml: str = "", environ: dict[str, str] | None = None) -> SpeechSettings:
    file = folder / "palabre.toml"
    file.write_text(toml, encoding="utf-8")
    return load_settings(config=file, environ=environ or {}, cwd=folder).settings.speech


def test_the_switches_of_the_seed_let_personas_be_heard(tmp_path: Path) -> None:
    speech = load(tmp_path, environ={"TTS_ENABLED": "1", "TTS_URL": "http://127.0.0.1:9100/"})
    assert (speech.enabled, speech.url) == (True, "http://127.0.0.1:9100")
    assert not load(tmp_path).enabled


@pytest.mark.parametrize(
    ("toml", "needed"),
    [
        ('[speech]\nengine = "sidecar"', "speech.url"),
        ('[speech]\nengine = "clone"', "speech.cloning_url"),
        ('[speech]\nengine = "openai"', "speech.openai.base_url"),
        ('[speech.stt]\nengine = "openai"', "speech.stt.openai.base_url"),
    ],
)
def test_a_speech_server_without_an_address_is_a_mistake(
    tmp_path: Path, toml: str, needed: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, toml)
    told = say(caught.value.text, "en")
    assert f"needs {needed}" in told
    assert "Correct speech.engine" in told
