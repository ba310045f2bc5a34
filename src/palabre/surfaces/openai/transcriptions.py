"""`POST /v1/audio/transcriptions`: a recording is written down."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from palabre.core.auth.api_keys import ApiKey
from palabre.core.media.errors import ExtensionRefusedError, FileRefusedError
from palabre.core.media.model import FileKind, SharedFile
from palabre.core.speech.model import Transcript
from palabre.kernel.errors import StorageError
from palabre.kernel.text import text
from palabre.surfaces.http.envelope import MIB
from palabre.surfaces.http.program_bodies import check_type, pieces_of
from palabre.surfaces.http.program_errors import BodyTooLargeError, BodyUnreadableError
from palabre.surfaces.openai.errors import ParameterInvalidError
from palabre.surfaces.openai.json_body import Body, Harmless, checked
from palabre.surfaces.openai.ports import Ports

MAX_RECORDING_BYTES = 25 * MIB
"""As the protocol says."""

MAX_FORM_BYTES = MAX_RECORDING_BYTES + MIB
MAX_FIELDS = 20
MAX_FIELD_BYTES = 16 * 1024

REFUSED: Harmless = {
    "stream": ("false",),
    "timestamp_granularities[]": ("",),
    "include[]": ("",),
    "response_format": ("json", "text", "verbose_json"),
}

Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]


class Fields(Body):
    """What is asked besides the recording; `prompt` and `temperature` are passed over."""

    language: Language | None = None
    response_format: Literal["json", "text", "verbose_json"] = "json"


@dataclass(frozen=True, slots=True)
class Asked:
    """A recording, and how its words are wanted."""

    fields: Fields
    file: SharedFile


class TranscriptionsRoute:
    """Lets the ears of the house listen."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def read(self, request: Request) -> Asked:
        """Return the recording and what is asked of it."""
        form = await _form(request)
        try:
            return await self._asked(form)
        finally:
            await form.close()

    async def answer(self, asked: Asked, _key: ApiKey) -> Response:
        """Return its words."""
        language = asked.fields.language or ""
        heard = await self._ports.analyst.listen(asked.file, language)
        match asked.fields.response_format:
            case "text":
                return PlainTextResponse(heard.text + "\n")
            case "verbose_json":
                return JSONResponse(_verbose(heard))
        return JSONResponse({"text": heard.text, "usage": _usage(heard)})

    async def _asked(self, form: FormData) -> Asked:
        sent = form.get("file")
        if not isinstance(sent, UploadFile):
            raise ParameterInvalidError("file", text("api.value.no_file"))
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
        known = checked(fields, Fields, REFUSED)
        content = await sent.read()
        if len(content) > MAX_RECORDING_BYTES:
            raise BodyTooLargeError(limit_mb=MAX_RECORDING_BYTES // MIB)
        return Asked(known, self._recording(content))

    def _recording(self, content: bytes) -> SharedFile:
        try:
            kind = self._ports.typer.type_of("recording", content)
        except (FileRefusedError, ExtensionRefusedError):
            kind = None
        if kind is None or kind.kind is not FileKind.AUDIO:
            raise ParameterInvalidError("file", text("api.value.recording"))
        return SharedFile(f"recording.{kind.extension}", content, kind)


async def _form(request: Request) -> FormData:
    check_type(request, "multipart/form-data")
    parser = MultiPartParser(
        request.headers,
        pieces_of(request, MAX_FORM_BYTES),
        max_files=1,
        max_fields=MAX_FIELDS,
        max_part_size=MAX_FIELD_BYTES,
    )
    try:
        return await parser.parse()
    except (MultiPartException, KeyError, UnicodeError) as error:
        raise BodyUnreadableError(text("api.body.no_form")) from error
    except OSError as error:  # large parts wait on the disk
        raise StorageError(detail=error.strerror or type(error).__name__) from error


def _verbose(heard: Transcript) -> dict[str, object]:
    return {
        "task": "transcribe",
        "language": heard.language,
        "duration": heard.duration_s,
        "text": heard.text,
        "usage": _usage(heard),
    }


def _usage(heard: Transcript) -> dict[str, object]:
    return {"type": "duration", "seconds": round(heard.duration_s)}
