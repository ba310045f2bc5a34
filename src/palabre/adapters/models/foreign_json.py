"""JSON that somebody else's server wrote."""

import re
from typing import TypeVar

import msgspec

from palabre.core.models.errors import OddAnswerError

T = TypeVar("T")

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def decode(data: bytes, kind: type[T]) -> T:
    """Return *data* as *kind*; half a surrogate pair, cut by the end of a token, is U+FFFD.

    Raises:
        OddAnswerError: It is no JSON, not of this shape, or nested too deep.
    """
    try:
        return msgspec.json.decode(_ESCAPE.sub(_whole, data), type=kind)
    except (msgspec.DecodeError, ValueError, ArithmeticError, RecursionError) as error:
        raise OddAnswerError(detail=str(error)) from error


def _whole(escape: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if escape["half"] else escape[0]
