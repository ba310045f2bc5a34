"""Who speaks and who listens, as the settings want it. Nothing is started or contacted yet."""

import shutil
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from palabre.adapters.models.weights import WeightStore
from palabre.adapters.speech.ears import (
    FASTER_WHISPER,
    FETCHED,
    OPENAI_WHISPER,
    Recogniser,
    WhisperTranscriber,
    load_faster_whisper,
    load_openai_whisper,
)
from palabre.adapters.speech.engines import EspeakSpeaker, KokoroSpeaker, PiperSpeaker
from palabre.adapters.speech.samples import VoiceSamples
from palabre.adapters.speech.server_ears import OpenAITranscriber
from palabre.adapters.speech.server_voices import CloningSpeaker, OpenAISpeaker, SidecarSpeaker
from palabre.adapters.speech.servers import SpeechServer
from palabre.adapters.speech.voices import FirstSpeaker, NamedSpeaker
from palabre.app.models import weight_store
from palabre.app.settings import Settings
from palabre.core.models.slots import CallSlots
from palabre.core.speech.errors import NoEarsError
from palabre.core.speech.model import Transcript
from palabre.core.speech.ports import Transcriber
from palabre.kernel.text import Text, text

Maker = Callable[[Settings, WeightStore], NamedSpeaker | None]

STYLES = {"fr": "ff_siwis.bin", "en": "bf_alice.bin"}
"""Kokoro's voices in `content/voices`; those that are there are used."""

WHISPER = f"whisper-{FETCHED}"


def build_speaker(settings: Settings) -> FirstSpeaker:
    """Return the voices of *settings*, the best first; engines start at the first word."""
    speech = settings.speech
    speakers, absent = _speakers(settings)
    return FirstSpeaker(
        speakers,
        CallSlots(speech.max_concurrent, speech.max_waiting),
        timeout_s=speech.timeout_s,
        absent=absent,
    )


def build_transcriber(settings: Settings) -> Transcriber:
    """Return the ears of *settings*; the model is loaded for the first recording."""
    stt = settings.speech.stt
    match _ears(settings):
        case "openai":
            openai = stt.openai
            return OpenAITranscriber(
                _server("/audio/transcriptions", openai.base_url, openai.api_key),
                openai.model,
                stt.language,
                slots=CallSlots(stt.max_concurrent, stt.max_waiting),
                timeout_s=stt.timeout_s,
            )
        case "faster-whisper":
            store = weight_store(settings)
            return _whisper(
                settings,
                FASTER_WHISPER,
                lambda: load_faster_whisper(
                    _whisper_folder(stt.model, store), stt.threads, stt.max_concurrent
                ),
            )
        case "openai-whisper":
            load = partial(load_openai_whisper, stt.model, stt.threads)
            return _whisper(settings, OPENAI_WHISPER, load)
        case _:
            return DeafTranscriber(_absent_ears(settings))


class DeafTranscriber:
    """Tells why nothing can be heard.

    Args:
        reasons: One for each engine that is not there.
    """

    name = "-"

    def __init__(self, reasons: Sequence[Text]) -> None:
        self._reasons = tuple(reasons)

    async def transcribe(self, wav: bytes, language: str = "") -> Transcript:  # noqa: ARG002
        """Raise NoEarsError."""
        raise NoEarsError(self._reasons)

    async def aclose(self) -> None:
        """There is nothing to close."""


def speakers_here(settings: Settings) -> tuple[str, ...]:
    """Return the names of the engines and servers that could speak, best first."""
    return tuple(speaker.name for speaker in _speakers(settings)[0])


def ears_here(settings: Settings) -> str:
    """Return the name of what could listen; empty if nothing could."""
    engine = _ears(settings)
    if engine != FASTER_WHISPER or settings.speech.stt.model not in {FETCHED, WHISPER}:
        return engine
    store = weight_store(settings)
    return engine if any(store.has(each) for each in store.find(WHISPER)) else ""


def _speakers(settings: Settings) -> tuple[list[NamedSpeaker], list[Text]]:
    """Return those that could speak, and why the others cannot."""
    store = weight_store(settings)
    engine = settings.speech.engine
    wanted = MAKERS if engine == "auto" else {engine: MAKERS[engine]}
    made = {name: make(settings, store) for name, make in wanted.items()}
    speakers = [speaker for speaker in made.values() if speaker is not None]
    told = made if engine != "auto" else dict.fromkeys(("piper", "kokoro", "espeak"))
    return speakers, [text(f"voice.absent.{name}") for name in told if made[name] is None]


def _clone(settings: Settings, _store: WeightStore) -> NamedSpeaker | None:
    url = settings.speech.cloning_url
    if not url:
        return None
    samples = VoiceSamples(settings.data_dir / "voice-samples")
    return CloningSpeaker(_server("/clone", url), samples.find)


def _sidecar(settings: Settings, _store: WeightStore) -> NamedSpeaker | None:
    url = settings.speech.url
    return SidecarSpeaker(_server("/tts", url)) if url else None


def _openai(settings: Settings, _store: WeightStore) -> NamedSpeaker | None:
    openai = settings.speech.openai
    if not openai.base_url:
        return None
    server = _server("/audio/speech", openai.base_url, openai.api_key)
    return OpenAISpeaker(server, openai.model, openai.voice)


def _server(path: str, url: str, key: SecretStr | None = None) -> SpeechServer:
    """Return the server at *url*, called by its host and what it is asked."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    secret = key.get_secret_value() if key else ""
    return SpeechServer(f"{parts.hostname}{port}{path}", url, secret)


def _piper(settings: Settings, store: WeightStore) -> NamedSpeaker | None:
    here = [each for each in store.known("voice") if each.name != "kokoro" and store.has(each)]
    if not here or find_spec("piper") is None:
        return None
    return PiperSpeaker({each.name: store.path(each) for each in here}, settings.speech.threads)


def _kokoro(settings: Settings, store: WeightStore) -> NamedSpeaker | None:
    (weights,) = store.find("kokoro")
    if not store.has(weights) or find_spec("kokoro_onnx") is None:
        return None
    paths = {name: settings.content_dir / "voices" / file for name, file in STYLES.items()}
    styles = {name: path for name, path in paths.items() if path.is_file()}
    return KokoroSpeaker(store.path(weights), styles, settings.speech.threads)


def _espeak(_settings: Settings, _store: WeightStore) -> NamedSpeaker | None:
    binary = shutil.which("espeak-ng")
    return EspeakSpeaker(binary) if binary else None


MAKERS: dict[str, Maker] = {
    "clone": _clone,
    "sidecar": _sidecar,
    "openai": _openai,
    "piper": _piper,
    "kokoro": _kokoro,
    "espeak": _espeak,
}
"""How each engine is made, best first; it gives none where something is absent."""


def _ears(settings: Settings) -> str:
    stt = settings.speech.stt
    if stt.engine == "openai" or (stt.engine == "auto" and stt.openai.base_url):
        return "openai"
    modules = {FASTER_WHISPER: "faster_whisper", OPENAI_WHISPER: "whisper"}
    wanted = modules if stt.engine == "auto" else (stt.engine,)
    return next((name for name in wanted if find_spec(modules[name]) is not None), "")


def _absent_ears(settings: Settings) -> list[Text]:
    engine = settings.speech.stt.engine
    wanted = (FASTER_WHISPER, OPENAI_WHISPER) if engine == "auto" else (engine,)
    return [text("ears.absent.engine", engine=name) for name in wanted]


def _whisper(
    settings: Settings, service: str, load: Callable[[], Recogniser]
) -> WhisperTranscriber:
    stt = settings.speech.stt
    return WhisperTranscriber(
        load,
        service=service,
        model=stt.model,
        language=stt.language,
        slots=CallSlots(stt.max_concurrent, stt.max_waiting),
        timeout_s=stt.timeout_s,
    )


def _whisper_folder(model: str, store: WeightStore) -> str:
    """Return where *model* lies, or its name where that is for faster-whisper to know."""
    if model in {FETCHED, WHISPER}:
        here = [each for each in store.find(WHISPER) if store.has(each)]
        return str(store.path(here[0]).parent) if here else FETCHED
    path = Path(model).expanduser()
    return str(path) if path.is_dir() else model
