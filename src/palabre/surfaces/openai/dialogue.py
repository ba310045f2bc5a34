"""What messages hold, as a persona is told it: words, and pictures in base64."""

import asyncio
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from palabre.core.chat.direct_prompt import Said
from palabre.core.media.errors import ExtensionRefusedError, FileRefusedError
from palabre.core.media.model import FileKind, SharedFile
from palabre.core.media.ports import FileTyper
from palabre.kernel.text import text
from palabre.surfaces.http.envelope import MIB
from palabre.surfaces.openai.errors import ParameterInvalidError, ParameterUnsupportedError
from palabre.surfaces.openai.json_body import Body

MAX_MESSAGES = 500
MAX_PARTS = 64
"""Of one message."""

MAX_TEXT_CHARS = 200_000
"""Of all messages together."""

MAX_GUIDANCE_CHARS = 20_000
"""Of all that the program says of the task."""

MAX_PICTURES = 4
MAX_PICTURE_BYTES = 12 * MIB
"""As in rooms (seed 000 §5.10)."""

TEXTS = frozenset({"text", "input_text", "output_text"})
PIECE_CHARS = 256 * 1024
"""Of base64 that are decoded at once: that holds the interpreter's lock."""

PICTURES = frozenset({"image_url", "input_image"})
GUIDES = frozenset({"system", "developer"})

Role = Literal["system", "developer", "user", "assistant"]


class Message(Body):
    """One message, of either protocol."""

    role: Role
    content: str | Annotated[list[dict[str, Any]], Field(max_length=MAX_PARTS)] | None = None


Messages = Annotated[list[Message], Field(min_length=1, max_length=MAX_MESSAGES)]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """What was said, and what the program says of the task."""

    said: tuple[Said, ...]
    guidance: str


async def read_dialogue(
    messages: Sequence[Message], param: str, typer: FileTyper, instructions: str = ""
) -> Dialogue:
    """Return *messages* as a persona is told them; *instructions* come before their guidance.

    Raises:
        ParameterInvalidError: They are too much, hold no question, or a picture that is none.
        ParameterUnsupportedError: They hold what no persona takes.
    """
    read = [_Parts(message, f"{param}.{place}.content") for place, message in enumerate(messages)]
    if sum(len(each.text) for each in read) > MAX_TEXT_CHARS:
        raise ParameterInvalidError(param, text("api.value.chars", limit=MAX_TEXT_CHARS))
    if sum(len(each.addresses) for each in read) > MAX_PICTURES:
        raise ParameterInvalidError(param, text("api.value.pictures", limit=MAX_PICTURES))
    guides = [instructions, *(each.text for each in read if each.message.role in GUIDES)]
    guidance = "\n\n".join(each for each in guides if each)
    if len(guidance) > MAX_GUIDANCE_CHARS:
        raise ParameterInvalidError(param, text("api.value.guidance", limit=MAX_GUIDANCE_CHARS))
    said = [await _said(each, typer) for each in read if each.message.role not in GUIDES]
    if not said or said[-1].role != "user" or not (said[-1].text.strip() or said[-1].pictures):
        raise ParameterInvalidError(param, text("api.value.last"))
    return Dialogue(tuple(said), guidance)


class _Parts:
    """The words of a message, and the addresses of its pictures."""

    def __init__(self, message: Message, param: str) -> None:
        self.message = message
        self.param = param
        self.addresses: list[str] = []
        content = message.content or ""
        parts = [content] if isinstance(content, str) else [self._text(each) for each in content]
        self.text = "\n".join(part for part in parts if part)

    def _text(self, part: dict[str, Any]) -> str:
        kind = str(part.get("type"))
        if kind in TEXTS:
            return self._string(part.get("text"))
        if kind == "refusal":
            return self._string(part.get("refusal"))
        if kind in PICTURES and self.message.role == "user":
            picture = part.get("image_url")
            address = picture.get("url") if isinstance(picture, dict) else picture
            self.addresses.append(self._string(address))
            return ""
        raise ParameterUnsupportedError(param=f"{self.param}.type")

    def _string(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ParameterInvalidError(self.param, text("api.value.part"))
        return value


async def _said(parts: _Parts, typer: FileTyper) -> Said:
    role: Literal["user", "assistant"] = (
        "assistant" if parts.message.role == "assistant" else "user"
    )
    pictures = [
        await asyncio.to_thread(_picture, address, parts.param, typer)
        for address in parts.addresses
    ]
    return Said(role, parts.text, tuple(pictures))


def _picture(address: str, param: str, typer: FileTyper) -> SharedFile:
    head, comma, data = address.partition(",")
    if not (comma and head.startswith("data:") and head.endswith(";base64")):
        raise ParameterInvalidError(param, text("api.value.picture_address"))
    try:
        content = _decoded(data)
        kind = typer.type_of("image", content)
    except (binascii.Error, ValueError, FileRefusedError, ExtensionRefusedError) as error:
        raise ParameterInvalidError(param, text("api.value.picture_unreadable")) from error
    if kind.kind is not FileKind.IMAGE or len(content) > MAX_PICTURE_BYTES:
        limit_mb = MAX_PICTURE_BYTES // MIB
        raise ParameterInvalidError(param, text("api.value.picture", limit_mb=limit_mb))
    return SharedFile(f"image.{kind.extension}", content, kind)


def _decoded(data: str) -> bytes:
    pieces = range(0, len(data), PIECE_CHARS)
    return b"".join(
        binascii.a2b_base64(data[start : start + PIECE_CHARS], strict_mode=True) for start in pieces
    )
