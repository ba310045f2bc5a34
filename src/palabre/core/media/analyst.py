"""Find out what is in a shared file, whatever it is (seed 000 §5.10, step 5; facts 3.9)."""

from dataclasses import dataclass

from palabre.core.media.errors import FileUnreadableError
from palabre.core.media.model import MAX_READ_BYTES, FileKind, Picture, SharedFile
from palabre.core.media.ports import FileReader
from palabre.core.models.errors import NoVisionModelError
from palabre.core.models.model import (
    ChatMessage,
    ChatRequest,
    ImageInput,
)
from palabre.core.models.registry import ModelRegistry
from palabre.core.speech.model import Transcript
from palabre.core.speech.ports import Transcriber

VISION_PROMPT = (
    "Analyse cette image en detail. Decris ce que tu vois : les personnes, les objets, le lieu, "
    "les couleurs, l'ambiance, et recopie le texte qui s'y trouve. Reponds en francais."
)
"""The beginning is the seed's (§9)."""

VISION_TIMEOUT_S = 300.0
VISION_MAX_TOKENS = 700
MAX_SEEN_CHARS = 8000
"""Of a description."""

MAX_TITLE_CHARS = 100
"""Of a file's name that personas read: it stands outside of what is marked as data."""

_TITLE_SIGNS = str.maketrans("[]<>", "()‹›")


@dataclass(frozen=True, slots=True)
class Analysis:
    """What personas are told of a file.

    Attributes:
        heading: Ours, such as `[PDF: plan.pdf, 3 page(s)]`.
        content: From the file: to be marked as data.
        spoken: Of a recording, what is said in it; empty for other files.
    """

    heading: str
    content: str
    spoken: str = ""


class FileAnalyst:
    """Reads files, looks at pictures and listens to recordings."""

    def __init__(
        self,
        *,
        reader: FileReader,
        transcriber: Transcriber,
        models: ModelRegistry,
        vision_model: str,
    ) -> None:
        self._reader = reader
        self._transcriber = transcriber
        self._models = models
        self._vision_model = vision_model

    async def analyse(self, file: SharedFile) -> Analysis:
        """Return what is in *file*.

        Raises:
            FileUnreadableError: Nothing can be found in it, and why.
            UpstreamError: Who was to read it failed.
        """
        match file.type.kind:
            case FileKind.IMAGE:
                return await self._look_at(file)
            case FileKind.AUDIO:
                return await self._listen_to(file)
        reading = await self._reader.read(file)
        if not reading.text.strip():
            raise FileUnreadableError("file_reason.blank")
        return Analysis(_heading(file, reading.pages), reading.text)

    async def transcribe(self, file: SharedFile) -> str:
        """Return what is said in the recording *file*.

        Raises:
            FileUnreadableError: Nothing was recognised.
            UpstreamError: Nobody can listen now.
        """
        heard = (await self.listen(file)).text.strip()
        if not heard:
            raise FileUnreadableError("file_reason.no_speech")
        return heard

    async def listen(self, file: SharedFile, language: str = "") -> Transcript:
        """Return what was recognised in the recording *file*, be it nothing.

        Args:
            file: Of a kind that holds sound.
            language: Two letters, of what is said; empty leaves it to whoever listens.

        Raises:
            FileUnreadableError: There is no sound in it.
            UpstreamError: Nobody can listen now.
        """
        reading = await self._reader.read(file)
        if reading.wav is None:
            raise FileUnreadableError("file_reason.no_speech")
        return await self._transcriber.transcribe(reading.wav, language)

    async def _listen_to(self, file: SharedFile) -> Analysis:
        heard = await self.transcribe(file)
        heading = f"[Audio: {title_of(file.name)}]\nTranscription:"
        told = heard.encode()[:MAX_READ_BYTES].decode(errors="ignore")
        return Analysis(heading, told, spoken=told)

    async def _look_at(self, file: SharedFile) -> Analysis:
        heading = f"[Image: {title_of(file.name)}]"
        try:
            model = await self._models.resolve_vision(self._vision_model)
        except NoVisionModelError as error:
            reading = await self._reader.read(file, ocr=True)
            if not reading.text.strip():
                raise FileUnreadableError("file_reason.no_vision") from error
            return Analysis(f"{heading}\nTexte lu dans l'image :", reading.text)
        reading = await self._reader.read(file)
        if reading.picture is None:
            raise FileUnreadableError("file_reason.damaged")
        request = _question(model.info.id, reading.picture)
        seen = await self._models.answer(
            model, request, max_chars=MAX_SEEN_CHARS, timeout_s=VISION_TIMEOUT_S
        )
        if not seen:
            raise FileUnreadableError("file_reason.unseen")
        return Analysis(heading, seen)


def _question(model: str, picture: Picture) -> ChatRequest:
    image = ImageInput(picture.content, picture.mime)
    asked = ChatMessage("user", VISION_PROMPT, images=(image,))
    return ChatRequest(model, (asked,), max_tokens=VISION_MAX_TOKENS, on_behalf_of="vision")


def title_of(name: str) -> str:
    """Return the file's *name* as personas read it: it imitates none of our marks and blocks."""
    return name.translate(_TITLE_SIGNS)[-MAX_TITLE_CHARS:]


def _heading(file: SharedFile, pages: int | None) -> str:
    name = title_of(file.name)
    match file.type.kind:
        case FileKind.PDF:
            return f"[PDF: {name}, {pages or 0} page(s)]"
        case FileKind.DOCUMENT:
            return f"[Document {file.type.extension.upper()}: {name}]"
        case _:
            return f"[Fichier texte: {name}]"
