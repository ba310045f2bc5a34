"""What is asked of the speech server: OpenAI's requests and those of the seed's sidecar."""

import base64
import binascii
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError
from starlette.responses import JSONResponse

from palabre.sim.endpoint import RefusedError
from palabre.sim.ledger import JsonObject
from palabre.sim.speech.wav import samples_of

LONGEST_MUSIC_S = 600
Words = Annotated[str, Field(min_length=1, max_length=4096)]
AUDIO_KINDS = ("flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm")


class Speech(BaseModel):
    """`POST /v1/audio/speech`; OpenAI's default, mp3, is refused: there is no encoder here."""

    model: Annotated[str, Field(min_length=1)]
    input: Words
    voice: str | dict[str, str]
    response_format: Literal["wav", "pcm"] = Field(default="mp3", validate_default=True)
    speed: Annotated[float, Field(ge=0.25, le=4)] = 1.0
    instructions: str = ""


class Tts(BaseModel):
    """`POST /tts`."""

    text: Words
    persona: str = ""
    speaker: str | None = None
    instruct: str | None = None
    language: str | None = None


class Compose(BaseModel):
    """`POST /compose`; duration in seconds."""

    prompt: Words
    duration: Annotated[float, Field(gt=0, le=LONGEST_MUSIC_S)] = 30.0


class Clone(BaseModel):
    """`POST /clone`; the reference is a WAV file in base64."""

    text: Words
    reference: Annotated[str, Field(min_length=1)]
    language: str | None = None

    def samples(self) -> bytes:
        """Return the samples of the reference.

        Raises:
            RefusedError: It is no WAV file, or has no sound.
        """
        try:
            file = samples_of(base64.b64decode(self.reference, validate=True))
        except binascii.Error:
            file = None
        if file is None or not file[0]:
            raise refused(400, "reference: not a WAV file in base64", param="reference")
        return file[0]


Ask = TypeVar("Ask", bound=BaseModel)


def read(body: JsonObject, kind: type[Ask]) -> Ask:
    """Return *body* as a request of *kind*.

    Raises:
        RefusedError: It is none; the answer tells each mistake.
    """
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        mistakes = [(".".join(map(str, each["loc"])), each["msg"]) for each in error.errors()]
        message = "; ".join(f"{place}: {words}" for place, words in mistakes)
        raise refused(400, message, param=mistakes[0][0]) from error


def refused(status: int, message: str, *, param: str | None = None) -> RefusedError:
    """Return an error in OpenAI's shape."""
    kind = "invalid_request_error" if status < 500 else "server_error"  # noqa: PLR2004
    error = {"message": message, "type": kind, "param": param, "code": None}
    return RefusedError(JSONResponse({"error": error}, status))
