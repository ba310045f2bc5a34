"""Ears on this machine: Whisper, by faster-whisper or by OpenAI's own package, in threads."""

import asyncio
import importlib
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from palabre.adapters.speech.wav import Sound, read_wav
from palabre.core.models.errors import (
    ModelNotFetchedError,
    ModelNotLoadedError,
    SilentServerError,
)
from palabre.core.models.slots import CallSlots
from palabre.core.speech.gate import Phrase, believed
from palabre.core.speech.model import SAMPLE_RATE_HZ, Transcript
from palabre.kernel.errors import UpstreamError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FASTER_WHISPER, OPENAI_WHISPER = "faster-whisper", "openai-whisper"

FETCHED = "base"
"""The model that `palabre model pull whisper-base` fetches."""

MIN_HEARD_S = 0.1
MIN_LOUDNESS = 10 ** (-60 / 20)
"""Quieter is silence: nobody is asked what was said."""

VAD: Mapping[str, Any] = {"threshold": 0.5, "min_speech_duration_ms": 200}


class Recogniser(Protocol):
    """A loaded model; it is used in one thread at a time."""

    def __call__(
        self, samples: "NDArray[np.float32]", language: str | None, stopped: threading.Event
    ) -> tuple[list[Phrase], str]:
        """Return what is said, and in which language; give up once *stopped*."""
        ...


class WhisperTranscriber:
    """Whisper in threads of its own; the model is loaded at the first need.

    Args:
        load: Loads the model; may block, may raise anything.
        service: What errors call it.
        model: What the transcript calls the model.
        language: Two letters; empty recognises it.
        slots: Recordings at once; more wait.
        timeout_s: Longest transcription, loading included, counted from when it has its slot.
    """

    def __init__(
        self,
        load: Callable[[], Recogniser],
        *,
        service: str,
        model: str,
        language: str,
        slots: CallSlots,
        timeout_s: float,
    ) -> None:
        self._load = load
        self.name = service
        self._model = model
        self._language = language or None
        self._slots = slots
        self._timeout_s = timeout_s
        self._threads = ThreadPoolExecutor(thread_name_prefix="ears")
        self._loading = threading.Lock()
        self._recogniser: Recogniser | None = None

    async def transcribe(self, wav: bytes, language: str = "") -> Transcript:
        """Return what is said in *wav*; see `Transcriber.transcribe`."""
        async with self._slots.hold():
            stopped = threading.Event()
            work = self._threads.submit(self._listen, wav, language or self._language, stopped)
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await asyncio.wrap_future(work)
            except TimeoutError:
                raise SilentServerError(service=self.name) from None
            finally:
                stopped.set()

    async def aclose(self) -> None:
        """Forget the model; threads end with the recording that they listen to."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._recogniser = None

    def _listen(self, wav: bytes, told: str | None, stopped: threading.Event) -> Transcript:
        sound = read_wav(wav).at_rate(SAMPLE_RATE_HZ)
        if is_silent(sound):
            return self._transcript("", told or "", sound)
        phrases, language = self._loaded()(sound.samples, told, stopped)
        return self._transcript(believed(phrases), language, sound)

    def _transcript(self, text: str, language: str, sound: Sound) -> Transcript:
        return Transcript(text, language, self._model, round(sound.duration_s, 3))

    def _loaded(self) -> Recogniser:
        with self._loading:
            if self._recogniser is None:
                try:
                    self._recogniser = self._load()
                except UpstreamError:
                    raise
                except Exception as error:
                    # Three libraries raise what they like; the message is for the user.
                    detail = str(error) or type(error).__name__
                    raise ModelNotLoadedError(
                        service=self.name, model=self._model, detail=detail
                    ) from error
            return self._recogniser


def is_silent(sound: Sound) -> bool:
    """Say whether nothing can be heard in *sound*."""
    return sound.duration_s < MIN_HEARD_S or sound.loudness < MIN_LOUDNESS


def load_faster_whisper(model: str, threads: int, at_once: int) -> Recogniser:
    """Load a directory of CTranslate2, or a model of the hub that is here already.

    Raises:
        ModelNotFetchedError: It is not here, but can be fetched.
        Exception: What faster-whisper and CTranslate2 raise.
    """
    from faster_whisper import WhisperModel, download_model  # noqa: PLC0415 - slow, and an extra

    try:
        folder = model if Path(model).is_dir() else download_model(model, local_files_only=True)
    except (OSError, ValueError) as error:
        if model == FETCHED:
            raise ModelNotFetchedError(model=f"whisper-{FETCHED}") from error
        raise
    whisper = WhisperModel(
        folder,
        device="cpu",
        compute_type="int8",
        cpu_threads=threads,
        num_workers=at_once,
    )

    def recognise(
        samples: "NDArray[np.float32]", language: str | None, stopped: threading.Event
    ) -> tuple[list[Phrase], str]:
        segments, info = whisper.transcribe(
            samples,
            language=language,
            beam_size=5,
            vad_filter=True,
            vad_parameters=dict(VAD),
            condition_on_previous_text=False,
        )
        phrases = [
            Phrase(each.text, each.avg_logprob, each.no_speech_prob, each.compression_ratio)
            for each in _until(stopped, segments)
        ]
        return phrases, info.language

    return recognise


def load_openai_whisper(
    model: str,
    threads: int,
    import_module: Callable[[str], Any] = importlib.import_module,
) -> Recogniser:
    """Load a model of OpenAI's package: a name that is here already, or a file.

    Raises:
        Exception: What the package raises.
    """
    import_module("torch").set_num_threads(threads)
    whisper = import_module("whisper").load_model(model, device="cpu")
    turn = threading.Lock()

    def recognise(
        samples: "NDArray[np.float32]", language: str | None, stopped: threading.Event
    ) -> tuple[list[Phrase], str]:
        with turn:
            if stopped.is_set():
                return [], language or ""
            told = whisper.transcribe(
                samples, language=language, fp16=False, condition_on_previous_text=False
            )
        phrases = [
            Phrase(
                each["text"],
                each.get("avg_logprob"),
                each.get("no_speech_prob"),
                each.get("compression_ratio"),
            )
            for each in told["segments"]
        ]
        return phrases, str(told.get("language") or language or "")

    return recognise


def _until(stopped: threading.Event, segments: Iterable[Any]) -> Iterable[Any]:
    for segment in segments:
        if stopped.is_set():
            return
        yield segment
