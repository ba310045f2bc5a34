"""Errors over HTTP, all in one shape: `{"ok": false, "error": <code>}`."""

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from palabre.core.auth.errors import (
    LoginRefusedError,
    LoginsBusyError,
    NoAccountError,
    NoSessionError,
    PermissionDeniedError,
    SessionRequiredError,
    SubnetDeniedError,
    TooManyLoginsError,
    UsernameOfPersonaError,
    UsernameTakenError,
)
from palabre.core.editorial.errors import (
    FeedbackNotFoundError,
    FeedbackTooFastError,
    PersonaNameTakenError,
    PersonaNotFoundError,
    PersonaOfFileError,
    ProposalAppliedError,
    ProposalNotFoundError,
    ReplyNotFoundError,
    SampleNameSharedError,
    SampleNotFoundError,
)
from palabre.core.history.errors import LogNotFoundError
from palabre.kernel.errors import PalabreError, StorageError, UpstreamError, UserError
from palabre.kernel.ids import Ids
from palabre.surfaces.http.answers import SECURITY_HEADERS

STATUSES: dict[type[PalabreError], int] = {
    SessionRequiredError: 401,
    LoginRefusedError: 401,
    PermissionDeniedError: 403,
    SubnetDeniedError: 403,
    NoAccountError: 404,
    PersonaNotFoundError: 404,
    ProposalNotFoundError: 404,
    FeedbackNotFoundError: 404,
    ReplyNotFoundError: 404,
    SampleNotFoundError: 404,
    PersonaNameTakenError: 409,
    PersonaOfFileError: 409,
    ProposalAppliedError: 409,
    SampleNameSharedError: 409,
    FeedbackTooFastError: 429,
    NoSessionError: 404,
    LogNotFoundError: 404,
    UsernameOfPersonaError: 409,
    UsernameTakenError: 409,
    TooManyLoginsError: 429,
    LoginsBusyError: 503,
    UserError: 400,
    UpstreamError: 502,
    StorageError: 503,
    PalabreError: 500,
}
"""Status of an error; of one that is not here, that of the nearest class that is."""

PLACES = frozenset({"body", "query", "path", "header", "cookie"})
"""Where a wrong value can be: the first word of pydantic's path to it."""

INVALID = "validation_error"

_CODES = {
    "too_small": ("string_too_short", "too_short", "greater_than", "greater_than_equal"),
    "too_big": ("string_too_long", "too_long", "less_than", "less_than_equal"),
    "invalid_string": ("string_pattern_mismatch", "string_unicode"),
    "invalid_enum_value": ("enum", "literal_error"),
    "invalid_type": ("missing", "model_attributes_type", "int_from_float"),
}
_CODE_OF = {kind: code for code, kinds in _CODES.items() for kind in kinds}

_log = logging.getLogger(__name__)


def answer_errors_in_json(http: FastAPI, ids: Ids) -> None:
    """Have *http* answer every error as JSON; what nobody foresaw gets a reference."""

    async def unforeseen(_request: Request, error: Exception) -> JSONResponse:
        reference = ids.new("error")
        _log.error("request failed", extra={"reference": reference}, exc_info=error)
        body = {"ok": False, "error": "internal_error", "reference": reference}
        headers = {**SECURITY_HEADERS, "Cache-Control": "no-store"}
        return JSONResponse(body, HTTPStatus.INTERNAL_SERVER_ERROR, headers)

    http.add_exception_handler(HTTPException, _refused)
    http.add_exception_handler(RequestValidationError, _invalid)
    http.add_exception_handler(PalabreError, _expected)
    http.add_exception_handler(Exception, unforeseen)


def refusal(
    status: int,
    code: str = "",
    details: Any = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Return the answer that something is not given; no *code* stands for that of *status*."""
    body: dict[str, Any] = {"ok": False, "error": code or HTTPStatus(status).name.lower()}
    if details:
        body["details"] = details
    return JSONResponse(body, status, headers)


def issue(code: str, path: Sequence[str | int], message: str, place: str = "body") -> Any:
    """Return what is wrong with one value, in the seed's shape; the value is not repeated."""
    return {"code": code, "path": list(path), "message": message, "in": place}


async def _refused(_request: Request, error: Exception) -> JSONResponse:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    if status == HTTPStatus.BAD_REQUEST:  # a body that could not be parsed
        wrong = issue("invalid_json", (), "The body cannot be read")
        return refusal(status, INVALID, [wrong], headers)
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return refusal(status, "content_too_large", None, headers)
    return refusal(status, headers=headers)


async def _expected(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, PalabreError)
    status = next(STATUSES[kind] for kind in type(error).mro() if kind in STATUSES)
    wait_s = error.data.get("retry_after_s")
    if wait_s is not None:
        return refusal(status, error.code, headers={"Retry-After": str(wait_s)})
    return refusal(status, error.code, error.data)


async def _invalid(_request: Request, error: Exception) -> JSONResponse:
    found = error.errors() if isinstance(error, RequestValidationError) else []
    return refusal(HTTPStatus.BAD_REQUEST, INVALID, [_issue(each) for each in found])


def _issue(found: Mapping[str, Any]) -> Any:
    kind, path = found["type"], list(found["loc"])
    place = path.pop(0) if path and path[0] in PLACES else "body"
    if kind == "json_invalid":
        return issue("invalid_json", (), "The body is not JSON", place)
    is_type = kind.endswith(("_type", "_parsing"))
    code = _CODE_OF.get(kind) or ("invalid_type" if is_type else "custom")
    return issue(code, path, found["msg"].removeprefix("Value error, "), place)
