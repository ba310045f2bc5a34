"""The shapes of answers: `{"ok": true, "data": ...}`, and how a route describes its own.

A route is added like this; everything that is the same for all is added to `/openapi.json` by
`surfaces.http.openapi` (the security scheme, 400, 401, 403, 413, 415 and 500)::

    router.add_api_route(
        "/api/admin/things/{thing_id}",
        self._change,
        methods=["PUT"],
        summary="Change a thing",
        response_model=Envelope[Thing],           # a pydantic model of what `told` is given
        responses=refusals(404, 409),             # statuses that are this route's own
        dependencies=[gate.admin_needs(Permission.PERSONA_WRITE)],
        max_body_size=2 * MIB,                    # only if more than 1 MiB may come
    )

A body is a pydantic model; names on the wire are given by `alias` or written so. Text fields have
`max_length`, numbers have `ge` and `le`, parameters of a query as well: 64 bits are what a database
takes. What is not JSON is described by hand: `responses={200: {"content": {"text/html": {}}}}`
and `response_class`. Errors are raised, never returned: `surfaces.http.errors` answers them.
"""

from http import HTTPStatus
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")

MIB = 1024 * 1024


class Envelope(BaseModel, Generic[T]):
    """What was asked for.

    Attributes:
        data: It.
    """

    ok: Literal[True]
    data: T


class Refusal(BaseModel):
    """What was asked for is not given.

    Attributes:
        error: Stable code, such as `validation_error`.
        details: What there is to know about it; its shape depends on the code.
        reference: Of an entry in the log, where nobody foresaw this.
    """

    model_config = ConfigDict(extra="allow")

    ok: Literal[False]
    error: str = Field(examples=["session_required"])
    details: Any = None
    reference: str | None = None


def told(data: Any) -> dict[str, Any]:
    """Return *data* as it is answered."""
    return {"ok": True, "data": data}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the description of answers with *statuses*, all of one shape."""
    return {each: {"model": Refusal, "description": HTTPStatus(each).phrase} for each in statuses}
