"""What search services have in common: asking, and JSON that is not ours."""

from http import HTTPStatus
from typing import TypeVar
from urllib.parse import urlencode

import msgspec

from palabre.core.web.errors import SearchBlockedError, SearchOddError, SearchRefusedError
from palabre.core.web.hits import MAX_QUERY_CHARS
from palabre.core.web.model import Fetched
from palabre.core.web.ports import Gateway

TIMEOUT_S = 10.0
"""Longest search (seed 000 §10)."""

MAX_ANSWER_BYTES = 1024 * 1024

T = TypeVar("T")


async def ask(gateway: Gateway, address: str, *, accept: str, **parameters: str) -> Fetched:
    """Fetch *address* with *parameters* added to its query.

    Raises:
        FetchError: It cannot be fetched.
    """
    parameters["q"] = parameters["q"][:MAX_QUERY_CHARS]
    joint = "&" if "?" in address else "?"
    return await gateway.fetch(
        f"{address}{joint}{urlencode(parameters, errors='replace')}",
        headers={"Accept": accept},
        max_bytes=MAX_ANSWER_BYTES,
        timeout_s=TIMEOUT_S,
    )


def check_status(answer: Fetched, service: str) -> None:
    """Let nothing pass but an answer.

    Raises:
        SearchBlockedError: Too many questions.
        SearchRefusedError: Another status than 200.
    """
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
        raise SearchBlockedError(service=service)
    if answer.status != HTTPStatus.OK:
        raise SearchRefusedError(service=service, status=answer.status)


def decode(answer: Fetched, kind: type[T], service: str) -> T:
    """Return the JSON of *answer* as a *kind*.

    Raises:
        SearchOddError: It is none, or of another shape.
    """
    try:
        return msgspec.json.decode(answer.body, type=kind)
    except (msgspec.DecodeError, ValueError, ArithmeticError, RecursionError) as error:
        raise SearchOddError(service=service) from error
