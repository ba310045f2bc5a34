"""Errors as the OpenAI protocol has them: `{"error": {message, type, param, code}}`."""

import logging
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from palabre.core.auth.key_errors import (
    KeyRefusedError,
    KeyRequiredError,
    TooManyAtOnceError,
    TooManyRequestsError,
)
from palabre.core.chat.errors import ModelComingError
from palabre.core.media.errors import FilesBusyError, FileUnreadableError
from palabre.core.models.errors import ModelBusyError
from palabre.core.speech.errors import NothingToSayError
from palabre.kernel.errors import PalabreError, UpstreamError, UserError
from palabre.kernel.ids import Ids
from palabre.kernel.text import Text, text
from palabre.surfaces.http import program_errors
from palabre.surfaces.http.program_errors import ExplainedError, headers_of
from palabre.texts import Language, say

_log = logging.getLogger(__name__)


class ParameterUnsupportedError(UserError):
    """No persona can do what `data["param"]` asks for."""

    code = "api_parameter_unsupported"


class ParameterInvalidError(ExplainedError):
    """`data["param"]` is not what it must be, for the reason `why`."""

    code = "api_parameter_invalid"

    def __init__(self, param: str, why: Text) -> None:
        super().__init__(why, param=param)


class NoSuchModelError(UserError):
    """Nobody is called `data["model"]`."""

    code = "api_model_not_found"


class NoSuchEmbedderError(UserError):
    """No model that makes vectors is called `data["model"]`; `data["known"]` is."""

    code = "api_embedder_not_found"


class SpeechOffError(UserError):
    """Nobody is heard here."""

    code = "api_speech_off"


STATUSES: dict[type[PalabreError], int] = {
    **program_errors.STATUSES,
    NoSuchModelError: 404,
    NoSuchEmbedderError: 404,
    ModelBusyError: 503,
    ModelComingError: 503,
    FilesBusyError: 503,
    FileUnreadableError: 400,
    NothingToSayError: 400,
    UserError: 400,
    UpstreamError: 502,
    PalabreError: 500,
}
"""Status of an error; of one that is not here, that of the nearest class that is."""

CODES: dict[type[PalabreError], str] = {
    KeyRequiredError: "invalid_api_key",
    KeyRefusedError: "invalid_api_key",
    NoSuchModelError: "model_not_found",
    NoSuchEmbedderError: "model_not_found",
    ParameterUnsupportedError: "unsupported_parameter",
    ParameterInvalidError: "invalid_value",
    TooManyRequestsError: "rate_limit_exceeded",
    TooManyAtOnceError: "rate_limit_exceeded",
}
"""Codes that clients of the protocol know; other errors keep ours."""

KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
"""The protocol's `type`, by status."""

RETRY_AFTER_S = {ModelBusyError: 5, ModelComingError: 30, FilesBusyError: 5}
"""When to try again, where the error itself does not say."""


class ErrorAnswers:
    """Says errors in the protocol's shape, in *language*."""

    def __init__(self, ids: Ids, language: Language) -> None:
        self._ids = ids
        self._language = language

    async def refused(self, _request: Request, error: Exception) -> JSONResponse:
        """Answer what is no route, or no method of one."""
        assert isinstance(error, HTTPException)
        code = HTTPStatus(error.status_code).name.lower()
        words = text(f"api.{code}" if error.status_code in {404, 405} else "api.refused")
        body = shape(error.status_code, say(words, self._language), code)
        return JSONResponse(body, error.status_code, headers=error.headers)

    async def expected(self, _request: Request, error: Exception) -> JSONResponse:
        """Answer an error of ours."""
        assert isinstance(error, PalabreError)
        status = status_of(error)
        kinds = type(error).mro()
        wait_s = next((RETRY_AFTER_S[kind] for kind in kinds if kind in RETRY_AFTER_S), None)
        return JSONResponse(self.told(error), status, headers=headers_of(error, wait_s))

    def told(self, error: PalabreError) -> dict[str, Any]:
        """Return *error* as a body."""
        code = next((CODES[kind] for kind in type(error).mro() if kind in CODES), error.code)
        param = error.data.get("param")
        return shape(status_of(error), say(error.text, self._language), code, param)

    async def unforeseen(self, _request: Request, error: Exception) -> JSONResponse:
        """Answer what nobody foresaw, with a reference that the log has too."""
        return JSONResponse(self.fault(error), HTTPStatus.INTERNAL_SERVER_ERROR)

    def in_stream(self, error: Exception) -> dict[str, Any]:
        """Return as an event what goes wrong when the status is sent already."""
        return self.told(error) if isinstance(error, PalabreError) else self.fault(error)

    def fault(self, error: Exception) -> dict[str, Any]:
        """Log *error* and return it as a body."""
        reference = self._ids.new("error")
        _log.error("request failed", extra={"reference": reference}, exc_info=error)
        words = say(text("api.internal", reference=reference), self._language)
        return shape(HTTPStatus.INTERNAL_SERVER_ERROR, words, "internal_error")


def shape(status: int, message: str, code: str, param: object = None) -> dict[str, Any]:
    """Return an error as the protocol has it."""
    is_ours = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    kind = KINDS.get(status, "server_error" if is_ours else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def status_of(error: PalabreError) -> int:
    """Return the status by which *error* is answered."""
    return next(STATUSES[kind] for kind in type(error).mro() if kind in STATUSES)
