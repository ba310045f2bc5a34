"""Errors over HTTP, all in one shape: `{"ok": false, "error": <code>}`."""

import logging
from http import HTTPStatus

from fastapi import FastAPI
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from palabre.core.auth.errors import (
    LoginRefusedError,
    PermissionDeniedError,
    SessionRequiredError,
    SubnetDeniedError,
    TooManyLoginsError,
)
from palabre.kernel.errors import PalabreError, StorageError, UpstreamError, UserError
from palabre.kernel.ids import Ids

STATUSES: dict[type[PalabreError], int] = {
    SessionRequiredError: 401,
    LoginRefusedError: 401,
    PermissionDeniedError: 403,
    SubnetDeniedError: 403,
    TooManyLoginsError: 429,
    UserError: 400,
    UpstreamError: 502,
    StorageError: 503,
    PalabreError: 500,
}
"""Status of an error; of one that is not here, that of the nearest class that is."""

_log = logging.getLogger(__name__)


def answer_errors_in_json(http: FastAPI, ids: Ids) -> None:
    """Have *http* answer every error as JSON; what nobody foresaw gets a reference."""

    async def unforeseen(_request: Request, error: Exception) -> JSONResponse:
        reference = ids.new("error")
        _log.error("request failed", extra={"reference": reference}, exc_info=error)
        body = {"ok": False, "error": "internal_error", "reference": reference}
        return JSONResponse(body, HTTPStatus.INTERNAL_SERVER_ERROR)

    http.add_exception_handler(HTTPException, _refused)
    http.add_exception_handler(RequestValidationError, _invalid)
    http.add_exception_handler(PalabreError, _expected)
    http.add_exception_handler(Exception, unforeseen)


async def _refused(_request: Request, error: Exception) -> JSONResponse:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    code = HTTPStatus(status).name.lower()
    return JSONResponse({"ok": False, "error": code}, status, dict(headers or {}))


async def _expected(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, PalabreError)
    status = next(STATUSES[kind] for kind in type(error).mro() if kind in STATUSES)
    return JSONResponse({"ok": False, "error": error.code, "details": error.data}, status)


async def _invalid(_request: Request, error: Exception) -> JSONResponse:
    found = error.errors() if isinstance(error, RequestValidationError) else []
    details = [{key: each[key] for key in ("type", "loc", "msg") if key in each} for each in found]
    body = {"ok": False, "error": "validation_error", "details": jsonable_encoder(details)}
    return JSONResponse(body, HTTPStatus.BAD_REQUEST)
