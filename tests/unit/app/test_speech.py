"""Which voices and ears the settings give, and what is told where there are none."""

import subprocess
import sys
from pathlib import Path

import pytest

from palabre.adapters.speech.ears import WhisperTranscriber
from palabre.adapters.speech.server_ears import OpenAITranscriber
from palabre.app.settings import Settings, load_settings
from palabre.app.speech import (
    WHISPER,
    DeafTranscriber,
    build_speaker,
    build_transcriber,
    ears_here,
    speakers_here,
)
from palabre.core.models.errors import ModelNotFetchedError
from palabre.core.speech.errors import NoEarsError, NoVoiceError
from palabre.core.speech.model import Voice
from palabre.kernel.errors import UpstreamError
from palabre.testing.simulators import speech
from palabre.texts import say

NOWHERE = "http://127.0.0.1:9"


def settings(folder: Path, **values: object) -> Settings:
    cli = {"cache_dir": str(folder), "models.embedded.hub": ""}
    given = {f"speech.{name.replace('__', '.')}": value for name, value in values.items()}
    return load_settings(cli={**cli, **given}, environ={}, cwd=folder).settings


def put(folder: Path, file: str, size_bytes: int) -> None:
    path = folder / "models" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as sparse:
        sparse.truncate(size_bytes)


def put_voices(folder: Path) -> None:
    put(folder, "kokoro/kokoro-v1.0.int8.onnx", 92_361_271)
    put(folder, "piper/fr_FR-siwis-medium.onnx", 63_201_294)
    put(folder, "piper/fr_FR-siwis-medium.onnx.json", 4_875)


def test_the_best_of_what_is_here_comes_first(tmp_path: Path) -> None:
    put_voices(tmp_path)
    servers = {"url": NOWHERE, "cloning_url": NOWHERE, "openai__base_url": f"{NOWHERE}/v1"}
    here = speakers_here(settings(tmp_path, **servers))
    host = "127.0.0.1:9"
    asked = (f"{host}/clone", f"{host}/tts", f"{host}/audio/speech")
    assert here[:5] == (*asked, "Piper", "Kokoro")
    assert set(here[5:]) <= {"espeak-ng"}


def test_one_engine_alone_can_be_chosen(tmp_path: Path) -> None:
    put_voices(tmp_path)
    assert speakers_here(settings(tmp_path, engine="kokoro")) == ("Kokoro",)


def test_weights_that_are_half_here_do_not_speak(tmp_path: Path) -> None:
    put(tmp_path, "piper/fr_FR-siwis-medium.onnx", 63_201_294)
    assert speakers_here(settings(tmp_path, engine="piper")) == ()


@pytest.mark.parametrize(
    ("engine", "advice"),
    [("piper", "palabre model pull fr_FR-siwis-medium"), ("kokoro", "palabre model pull kokoro")],
)
async def test_an_engine_that_is_not_here_tells_how_to_get_it(
    tmp_path: Path, engine: str, advice: str
) -> None:
    speaker = build_speaker(settings(tmp_path, engine=engine))
    with pytest.raises(NoVoiceError) as failed:
        await speaker.speak("Bonjour.", Voice("fr_FR-siwis-medium"))
    assert advice in say(failed.value.text, "en")
    await speaker.aclose()


async def test_a_sidecar_that_is_not_there_is_told_when_it_is_all_there_is(tmp_path: Path) -> None:
    speaker = build_speaker(settings(tmp_path, engine="sidecar", url=NOWHERE))
    with pytest.raises(UpstreamError) as failed:
        await speaker.speak("Bonjour.", Voice("fr_FR-siwis-medium"))
    assert "127.0.0.1:9/tts does not answer" in say(failed.value.text, "en")
    await speaker.aclose()


async def test_servers_of_the_settings_speak_and_listen(tmp_path: Path) -> None:
    async with speech() as url:
        given = settings(
            tmp_path,
            engine="openai",
            openai__base_url=f"{url}/v1",
            stt__openai__base_url=f"{url}/v1",
        )
        speaker, ears = build_speaker(given), build_transcriber(given)
        wav = await speaker.speak("Bonjour Marie.", Voice("fr_FR-siwis-medium"))
        assert (await ears.transcribe(wav)).text == "Bonjour Marie."
        await speaker.aclose()
        await ears.aclose()


def test_a_server_for_recordings_comes_before_whisper(tmp_path: Path) -> None:
    served = settings(tmp_path, stt__openai__base_url=f"{NOWHERE}/v1")
    assert isinstance(build_transcriber(served), OpenAITranscriber)
    assert ears_here(served) == "openai"


async def test_whisper_that_was_not_fetched_tells_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    given = settings(tmp_path)
    assert ears_here(given) == ""
    ears = build_transcriber(given)
    assert isinstance(ears, WhisperTranscriber)
    async with speech() as url:
        speaker = build_speaker(settings(tmp_path, engine="sidecar", url=url))
        wav = await speaker.speak("Bonjour Marie.", Voice("fr_FR-siwis-medium"))
        await speaker.aclose()
    with pytest.raises(ModelNotFetchedError) as failed:
        await ears.transcribe(wav)
    assert "palabre model pull whisper-base" in say(failed.value.text, "en")
    await ears.aclose()


def test_whisper_that_was_fetched_listens(tmp_path: Path) -> None:
    sizes = {"config.json": 2_309, "tokenizer.json": 2_203_239, "vocabulary.txt": 459_861}
    for name, size_bytes in {**sizes, "model.bin": 145_217_532}.items():
        put(tmp_path, f"{WHISPER}/{name}", size_bytes)
    assert ears_here(settings(tmp_path)) == "faster-whisper"


async def test_an_engine_for_recordings_that_is_not_installed_is_told(tmp_path: Path) -> None:
    given = settings(tmp_path, stt__engine="openai-whisper")
    ears = build_transcriber(given)
    assert isinstance(ears, DeafTranscriber)
    with pytest.raises(NoEarsError) as failed:
        await ears.transcribe(b"")
    assert "openai-whisper is not installed" in say(failed.value.text, "en")
    await ears.aclose()


def test_no_gpl_library_and_no_engine_comes_into_our_process() -> None:
    foreign = ("piper", "phonemizer", "espeakng_loader", "kokoro_onnx", "faster_whisper", "whisper")
    program = f"import sys, palabre.app.speech; print([m for m in {foreign} if m in sys.modules])"
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert told.stdout == "[]\n"
