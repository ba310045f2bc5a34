"""JSON that somebody else's server wrote."""

from typing import TypeVar

import msgspec

from palabre.core.models.errors import OddAnswerError

T = TypeVar("T")


def decode(data: bytes, kind: type[T]) -> T:
    """Return *data* as *kind*.

    Raises:
        OddAnswerError: It is no JSON, not of this shape, or nested too deep.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, ValueError, ArithmeticError, RecursionError) as error:
        raise OddAnswerError(detail=str(error)) from error
