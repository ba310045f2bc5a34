import pytest

from palabre.core.auth.key_errors import KeyRefusedError, KeyRequiredError, TooManyRequestsError
from palabre.kernel.errors import PalabreError, StorageError
from palabre.kernel.text import text
from palabre.surfaces.http.program_errors import BodyLateError, ExplainedError, headers_of
from palabre.texts import say


@pytest.mark.parametrize(
    ("error", "headers"),
    [
        (KeyRequiredError(), {"WWW-Authenticate": "Bearer"}),
        (KeyRefusedError(), {"WWW-Authenticate": "Bearer"}),
        (BodyLateError(limit_s=1), {"Connection": "close"}),
        (TooManyRequestsError(limit=1, retry_after_s=7), {"Retry-After": "7"}),
        (StorageError(detail="x"), {"Retry-After": "3"}),
    ],
)
def test_headers_say_what_to_do_next(error: PalabreError, headers: dict) -> None:
    assert headers_of(error, 3) == headers


def test_without_a_time_to_come_again_there_is_no_header() -> None:
    assert headers_of(StorageError(detail="x")) == {}


def test_a_reason_is_said_in_the_language_of_the_whole() -> None:
    class OddError(ExplainedError):
        code = "api_body_unreadable"

    told = OddError(text("api.body.no_object")).text
    assert say(told, "fr") == "Le corps de la demande est illisible : ce n'est pas un objet JSON."
    assert say(told, "en") == "The body of the request cannot be read: it is no JSON object."
