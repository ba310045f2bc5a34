"""The rooms protocol: bytes in, typed frames out. No I/O.

Source: seed 000 §5.6 and §5.7. Fields marked "added" are ours; a client written for the seed
does not look at them.
"""

import re
from typing import Annotated, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

MAX_TEXT = 8192
"""Characters of one message or command (seed §5.6)."""

MAX_FRAME_BYTES = 16 * 1024 * 1024
"""A larger frame is dropped in silence (seed §5.1)."""

MAX_UPLOAD_FRAME_BYTES = MAX_FRAME_BYTES + 64 * 1024
"""An upload of exactly 12 MiB in base64 with its JSON around it must pass."""

LARGE_FRAME_BYTES = 256 * 1024
"""More than words can need, however they are escaped."""

SpokenText: TypeAlias = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]


class ProtocolError(ValueError):
    """The peer sent something that is not a frame of this protocol."""


class NotJsonError(ProtocolError):
    """Not JSON at all: dropped in silence (seed §5.6, step 3)."""


class InvalidFrameError(ProtocolError):
    """JSON, but no frame: answered with a system line (seed §5.6, step 4)."""


# --- client -> server -------------------------------------------------------------------------


class SendMessage(Struct, tag="message", frozen=True):
    """Say something in the channel."""

    text: SpokenText


class SendCommand(Struct, tag="command", frozen=True):
    """Use a slash command."""

    text: SpokenText


class SendUpload(Struct, tag="upload", frozen=True, rename="camel"):
    """Share a file; `data` is base64. `size` is a claim and is never believed."""

    filename: Annotated[str, Meta(max_length=255)] | UnsetType = UNSET
    mime_type: Annotated[str, Meta(max_length=100)] | UnsetType = UNSET
    data: str | UnsetType = UNSET
    size: Annotated[float, Meta(le=MAX_FRAME_BYTES)] | UnsetType = UNSET


class AskUploadTicket(Struct, tag="uploadTicket", frozen=True):
    """Added: ask for what `POST /api/v2/uploads` wants to see."""


ClientFrame: TypeAlias = SendMessage | SendCommand | SendUpload | AskUploadTicket

# --- server -> client -------------------------------------------------------------------------


class Message(Struct, tag="message", frozen=True, rename="camel"):
    """Somebody said something; ends the chunks of the same nick."""

    nick: str
    text: str
    color: str
    seq: int | UnsetType = UNSET
    reply_id: str | UnsetType = UNSET  # added


class Chunk(Struct, tag="chunk", frozen=True, rename="camel"):
    """A reply grew; `seq` counts from 1 in each reply."""

    nick: str
    text: str
    color: str
    seq: int
    reply_id: str | UnsetType = UNSET  # added


class System(Struct, tag="system", frozen=True, rename="camel"):
    """A line from the server; the text `__clear__` empties the display."""

    text: str
    seq: int | UnsetType = UNSET
    reply_id: str | UnsetType = UNSET  # added: on the typing line


class Join(Struct, tag="join", frozen=True):
    """Somebody came."""

    nick: str
    channel: str
    text: str
    seq: int | UnsetType = UNSET


class Part(Struct, tag="part", frozen=True):
    """Somebody left."""

    nick: str
    channel: str
    text: str
    seq: int | UnsetType = UNSET


class UserList(Struct, tag="userlist", frozen=True):
    """Who is here: people of the channel, then personas."""

    users: tuple[str, ...]
    seq: int | UnsetType = UNSET


class Persona(Struct, tag="persona", frozen=True):
    """A persona and its colour."""

    nick: str
    color: str
    seq: int | UnsetType = UNSET


class ChannelInfo(Struct, tag="channelInfo", frozen=True):
    """The channel that the client is in now."""

    channel: str
    seq: int | UnsetType = UNSET


class Audio(Struct, tag="audio", frozen=True, rename="camel"):
    """A spoken sentence; `data` is base64."""

    nick: str
    data: str
    mime_type: str
    seq: int | UnsetType = UNSET
    reply_id: str | UnsetType = UNSET  # added
    number: int | UnsetType = UNSET  # added: place among the sentences of that reply, from 1


class Image(Struct, tag="image", frozen=True, rename="camel"):
    """A generated picture; `image_data` is base64."""

    nick: str
    text: str
    image_data: str
    image_mime: str
    seq: int | UnsetType = UNSET


class Music(Struct, tag="music", frozen=True, rename="camel"):
    """Generated music; `audio_data` is base64."""

    nick: str
    text: str
    audio_data: str
    audio_mime: str
    seq: int | UnsetType = UNSET


class UploadTicket(Struct, tag="uploadTicket", frozen=True, rename="camel"):
    """Added: the header `x-upload-ticket` of uploads; good as long as its connection."""

    ticket: str
    max_bytes: int


ServerFrame: TypeAlias = (
    Message
    | Chunk
    | System
    | Join
    | Part
    | UserList
    | Persona
    | ChannelInfo
    | Audio
    | Image
    | Music
    | UploadTicket
)

_client = msgspec.json.Decoder(ClientFrame)
_server = msgspec.json.Decoder(ServerFrame)
_encoder = msgspec.json.Encoder()


def decode(raw: bytes | str) -> ClientFrame:
    """Parse one frame of a client. Unknown fields are ignored.

    Raises:
        NotJsonError: *raw* is not JSON, or nested beyond reason.
        InvalidFrameError: *raw* is JSON but no frame of a client; also if it is large for
            another reason than long strings.
    """
    if len(raw) <= LARGE_FRAME_BYTES:
        return _decode(_client, raw)
    return _decode_large(raw)


def decode_server(raw: bytes | str) -> ServerFrame:
    """Parse one frame of a server; for clients.

    Raises:
        NotJsonError: *raw* is not JSON.
        InvalidFrameError: *raw* is JSON but no frame of a server.
    """
    return _decode(_server, raw)


def encode(frame: ClientFrame | ServerFrame) -> bytes:
    """Write one frame as UTF-8 JSON."""
    return _encoder.encode(frame)


_EMPTY_DATA = b'Data":""'
"""Inside of strings each quote is escaped, so this is found at the end of the field alone."""


def encode_around(frame: Image | Music) -> tuple[bytes, bytes]:
    """Write *frame*, whose data is empty, as the JSON before and behind its data.

    So 67 MB of base64 need not be copied to be said.
    """
    before, _, behind = encode(frame).partition(_EMPTY_DATA)
    return before + _EMPTY_DATA[:-1], _EMPTY_DATA[-1:] + behind


F = TypeVar("F")


def _decode(decoder: "msgspec.json.Decoder[F]", raw: bytes | str) -> F:
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        _require_json(raw)
        raise InvalidFrameError(str(error)) from error
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise NotJsonError(str(error)) from error


def _require_json(raw: bytes | str) -> None:
    """A typed decoder stops at the first wrong field; what follows may not be JSON at all.

    Nothing is built of it: some numbers take 20 us each.
    """
    try:
        msgspec.json.decode(raw if isinstance(raw, str) else raw.decode(), type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise NotJsonError(str(error)) from error


_LONG_STRING = 128 * 1024
"""Longer than the longest text can be, were each of its characters escaped twice."""

_STAND_IN = "x" * (MAX_TEXT + 1)
"""Takes the place of a long string: too long for any field but `data`."""

_MOST_QUOTES = 4096
_BEFORE_DATA = re.compile(r'"data"\s{0,16}:\s{0,16}"\Z')
_CHARS_PER_ESCAPE = 8
"""Base64 has two letters that some encoders escape: one in 32."""


def _decode_large(raw: bytes | str) -> ClientFrame:
    """Take long strings out unread, so that 16 MiB of anything cost a search, not a parse."""
    try:
        whole = raw if isinstance(raw, str) else raw.decode()
    except UnicodeDecodeError as error:
        raise NotJsonError(str(error)) from error
    spans = _long_strings(whole)
    if len(whole) - sum(end - start for start, end in spans) > LARGE_FRAME_BYTES:
        raise (InvalidFrameError if whole.lstrip()[:1] == "{" else NotJsonError)("too large")
    bounds = [0, *(bound for span in spans for bound in span), len(whole)]
    between = zip(bounds[::2], bounds[1::2], strict=True)
    frame = _decode(_client, _STAND_IN.join(whole[start:end] for start, end in between))
    if isinstance(frame, SendUpload) and frame.data == _STAND_IN:
        return msgspec.structs.replace(frame, data=_data(whole, spans))
    return frame


def _long_strings(whole: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start = whole.find('"') + 1
    for _ in range(_MOST_QUOTES):
        end = whole.find('"', start)
        if not start or end < 0:
            break
        if end - start > _LONG_STRING:
            spans.append((start, end))
        start = end + 1
    return spans


def _data(whole: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        if _BEFORE_DATA.search(whole[max(0, start - 64) : start]):
            return _unescaped(whole[start:end])
    raise InvalidFrameError("no data")


def _unescaped(data: str) -> str:
    escapes = data.count("\\")
    if not escapes:
        return data
    if escapes * _CHARS_PER_ESCAPE > len(data):
        raise InvalidFrameError("more escapes than base64 needs")
    try:
        return msgspec.json.decode(f'"{data}"', type=str)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise NotJsonError(str(error)) from error
