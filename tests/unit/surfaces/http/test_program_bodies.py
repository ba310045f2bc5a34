import asyncio

import pytest
from starlette.requests import Request

from palabre.surfaces.http.program_bodies import MAX_COMMAS, decoded, in_time, json_of
from palabre.surfaces.http.program_errors import (
    BodyLateError,
    BodyTooLargeError,
    BodyTypeError,
    BodyUnreadableError,
)
from palabre.texts import LANGUAGES, say


def a_request(*pieces: bytes, kind: str = "application/json", ends: bool = True) -> Request:
    coming = list(pieces)

    async def receive():
        if coming:
            piece = coming.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(coming) or not ends}
        return {"type": "http.disconnect"}

    scope = {"type": "http", "headers": [(b"content-type", kind.encode())]}
    return Request(scope, receive)


async def test_a_body_comes_as_it_is_and_as_its_value() -> None:
    body = await json_of(a_request(b'{"a":', b" [1]}", kind="application/JSON; x=y"), 100)
    assert body == (b'{"a": [1]}', {"a": [1]})
    large = b'["' + b"x" * 70_000 + b'"]'
    assert (await json_of(a_request(large), 100_000))[1] == ["x" * 70_000]


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (a_request(b"{}", kind="text/plain"), BodyTypeError),
        (a_request(b"{}", kind=""), BodyTypeError),
        (a_request(b" " * 51, b" " * 50), BodyTooLargeError),
        (a_request(b"{", ends=False), BodyUnreadableError),
        (a_request(b"{"), BodyUnreadableError),
        (a_request(b""), BodyUnreadableError),
    ],
)
async def test_what_cannot_be_read_is_refused(request_: Request, error: type[Exception]) -> None:
    with pytest.raises(error):
        await json_of(request_, 100)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'"\\u0000"',
        b"1e999",
        b"[" * 100 + b"]" * 100,
        b"[" + b"0," * MAX_COMMAS + b"0,0]",
    ],
)
def test_the_reason_is_said_in_every_language(body: bytes) -> None:
    with pytest.raises(BodyUnreadableError) as caught:
        decoded(body)
    assert len({say(caught.value.text, language) for language in LANGUAGES}) == len(LANGUAGES)


async def test_a_body_that_never_ends_is_not_waited_for() -> None:
    with pytest.raises(BodyLateError):
        async with in_time(0.01):
            await asyncio.Event().wait()


async def test_other_things_that_last_too_long_are_told_as_they_are() -> None:
    with pytest.raises(TimeoutError):
        async with in_time(5):
            raise TimeoutError
