"""Get the file out of what a client sent: base64 in a frame, or a part of a form."""

import binascii
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, get_args

from msgspec import UNSET
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from palabre.core.chat.shared_files import MAX_FILE_BYTES, FileSizeError
from palabre.kernel.errors import StorageError, UserError
from palabre.wire import rooms as wire

MAX_FORM_BYTES = 32 * 1024 * 1024
"""Forms up to this are read to their end, so that the answer reaches who sends too much."""

MAX_SMALL_PART_BYTES = 64

PIECE_CHARS = 256 * 1024
"""Of base64 that are decoded at once: that holds the interpreter's lock."""

_LETTERS = bytes.maketrans(b"-_", b"+/")
_NO_LETTERS = bytes(
    each
    for each in range(256)
    if each not in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="
)

Purpose = Literal["share", "speech"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)


class UploadFormError(UserError):
    """The form is not the one that is expected: `data["detail"]`."""

    code = "upload_form"


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file as its sender names it."""

    name: str
    content: bytes
    purpose: Purpose = "share"


def from_frame(frame: wire.SendUpload) -> SentFile:
    """Return the file in *frame*; bytes that are no base64 are passed over, as by Node."""
    name = "" if frame.filename is UNSET else frame.filename
    data = "" if frame.data is UNSET else frame.data
    return SentFile(name, _decoded(data))


def _decoded(data: str) -> bytes:
    """Return the bytes that *data* says; a piece at a time, so that other threads get theirs."""
    decoded, letters = bytearray(), b""
    for start in range(0, len(data), PIECE_CHARS):
        piece = data[start : start + PIECE_CHARS].encode("ascii", "ignore")
        clean, padding, _ = piece.translate(_LETTERS, _NO_LETTERS).partition(b"=")
        letters += clean
        whole = len(letters) // 4 * 4
        decoded += binascii.a2b_base64(letters[:whole])
        letters = letters[whole:]
        if padding:
            break
    with suppress(binascii.Error):
        decoded += binascii.a2b_base64(letters + b"==")
    return bytes(decoded)


async def from_form(request: Request) -> SentFile:
    """Return the file in the form of *request*: the part `file`, after `purpose` if any.

    Raises:
        UploadFormError: It is no form, has no file, or its sender went away.
        StorageError: There is no place where it could wait.
        FileSizeError: It is larger than `MAX_FORM_BYTES`: the rest stays unread.
    """
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise UploadFormError(detail="multipart/form-data")
    parser = MultiPartParser(
        request.headers,
        _limited(request),
        max_files=1,
        max_fields=4,
        max_part_size=MAX_SMALL_PART_BYTES,
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise UploadFormError(detail=error.message) from error
    except UnicodeError as error:  # of the charset that the form claims
        raise UploadFormError(detail="charset") from error
    except ClientDisconnect as error:
        raise UploadFormError(detail="incomplete") from error
    except OSError as error:  # large parts wait on the disk
        raise StorageError(detail=error.strerror or type(error).__name__) from error
    try:
        return await _read(form.get("file"), form.get("purpose", "share"))
    finally:
        await form.close()


async def _read(file: UploadFile | str | None, purpose: UploadFile | str | None) -> SentFile:
    if not isinstance(file, UploadFile):
        raise UploadFormError(detail="file")
    wanted = next((each for each in PURPOSES if each == purpose), None)
    if wanted is None:
        raise UploadFormError(detail="purpose")
    return SentFile(file.filename or "", await file.read(MAX_FILE_BYTES + 1), wanted)


async def _limited(request: Request) -> AsyncGenerator[bytes]:
    """Yield the body, until it is more than any file may be."""
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > MAX_FORM_BYTES:
            raise FileSizeError
        yield piece
