"""The section `speech`: who says answers aloud, and who writes down recordings."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from palabre.app.settings.sections import ApiKey, MaxWaiting, Section
from palabre.app.settings.values import OptionalWebAddress

VoiceEngine = Literal["auto", "clone", "sidecar", "openai", "piper", "kokoro", "espeak"]
EarsEngine = Literal["auto", "faster-whisper", "openai-whisper", "openai"]

Threads = Annotated[int, Field(ge=1, le=64, description="Threads of one engine.")]
MaxConcurrent = Annotated[int, Field(ge=1, le=16, description="At once; others wait.")]


class VoiceServerSettings(Section):
    """A server with `POST /audio/speech`."""

    base_url: OptionalWebAddress = Field(default="", description="Address up to and with `/v1`.")
    model: str = Field(default="tts-1", min_length=1, description="Its name of the model.")
    voice: str = Field(
        default="alloy", description="Its name of the voice; empty sends the persona's voice."
    )
    api_key: ApiKey = None


class EarsServerSettings(Section):
    """A server with `POST /audio/transcriptions`."""

    base_url: OptionalWebAddress = Field(default="", description="Address up to and with `/v1`.")
    model: str = Field(default="whisper-1", min_length=1, description="Its name of the model.")
    api_key: ApiKey = None


class EarsSettings(Section):
    """Who writes down what is said."""

    engine: EarsEngine = Field(
        default="auto",
        description="`auto` takes the server if there is one, else faster-whisper, else "
        "openai-whisper.",
    )
    model: str = Field(
        default="base",
        min_length=1,
        description="Size of Whisper (`tiny`, `base`, `small` ...) or a folder with a model.",
    )
    language: str = Field(
        default="fr",
        pattern=r"^([a-z]{2,3})?$",
        description="Language of the recordings; empty recognises it.",
    )
    threads: Threads = 1
    max_concurrent: MaxConcurrent = 2
    max_waiting: MaxWaiting = 16
    timeout_s: float = Field(default=120, gt=0, le=3600, description="Longest transcription.")
    openai: EarsServerSettings = EarsServerSettings()


class SpeechSettings(Section):
    """Who says answers aloud."""

    enabled: bool = Field(default=False, description="Whether personas are heard.")
    engine: VoiceEngine = Field(
        default="auto",
        description="`auto` takes the first that can speak, in the order of this list.",
    )
    url: OptionalWebAddress = Field(
        default="", description="Server with `/tts` and `/compose`; empty: none."
    )
    cloning_url: OptionalWebAddress = Field(
        default="", description="Server with `/clone`, for personas with a voice sample."
    )
    threads: Threads = 1
    max_concurrent: MaxConcurrent = 2
    max_waiting: MaxWaiting = 64
    timeout_s: float = Field(default=30, gt=0, le=600, description="Longest synthesis.")
    openai: VoiceServerSettings = VoiceServerSettings()
    stt: EarsSettings = EarsSettings()

    @model_validator(mode="after")
    def _servers_have_addresses(self) -> Self:
        addresses = {
            "clone": ("cloning_url", self.cloning_url),
            "sidecar": ("url", self.url),
            "openai": ("openai.base_url", self.openai.base_url),
        }
        key, address = addresses.get(self.engine, ("", "none needed"))
        if not address:
            raise PydanticCustomError("engine", "needs speech.{key}", {"key": key})
        if self.stt.engine == "openai" and not self.stt.openai.base_url:
            key = "stt.openai.base_url"
            raise PydanticCustomError("engine", "needs speech.{key}", {"key": key})
        return self
