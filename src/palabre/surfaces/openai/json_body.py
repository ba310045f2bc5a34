"""Read the JSON that a program sends, and check what is asked by it."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request

from palabre.kernel.text import text
from palabre.surfaces.http.envelope import MIB
from palabre.surfaces.http.program_bodies import json_of
from palabre.surfaces.http.program_errors import BodyUnreadableError
from palabre.surfaces.http.wrong_values import why_wrong
from palabre.surfaces.openai.errors import ParameterInvalidError, ParameterUnsupportedError

MAX_BODY_BYTES = 20 * MIB
"""A picture of 12 MiB in base64, or several smaller ones: decoding holds the interpreter's lock."""

MAX_NAME_CHARS = 200
Name = Annotated[str, Field(max_length=MAX_NAME_CHARS)]
"""Of a model or a voice: names are compared whatever their case, which takes a while."""

B = TypeVar("B", bound="Body")
Harmless = Mapping[str, Collection[object]]
"""Parameters that nobody here obeys, with the values by which they ask for nothing."""


class Body(BaseModel):
    """What is asked. Parameters that are not named are passed over, as `docs/api.md` says."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


async def read_json(request: Request) -> dict[str, Any]:
    """Return the object that is the body of *request*.

    Raises:
        BodyUnreadableError: It is no object; as `json_of`, which raises other errors too.
    """
    _, value = await json_of(request, MAX_BODY_BYTES)
    if not isinstance(value, dict):
        raise BodyUnreadableError(text("api.body.no_object"))
    return value


def checked(body: Mapping[str, Any], kind: type[B], refused: Harmless) -> B:
    """Return *body* as what it asks for.

    Raises:
        ParameterUnsupportedError: It asks for something of *refused*.
        ParameterInvalidError: A value is wrong; one of them is told.
    """
    for name, harmless in refused.items():
        if body.get(name) is not None and body[name] not in harmless:
            raise ParameterUnsupportedError(param=name)
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        place, wrong = min(((_place(each, body), each) for each in found), key=_vagueness)
        raise ParameterInvalidError(place or "body", why_wrong(wrong)) from None


def _place(wrong: ErrorDetails, body: Mapping[str, Any]) -> str:
    """Return where that is, as a program knows it: without the kinds that a value was tried as."""
    value: Any = body
    known: list[str] = []
    for each in wrong["loc"]:
        if isinstance(value, dict) and (each in value or wrong["type"] == "missing"):
            value = value.get(each)
        elif isinstance(value, list) and isinstance(each, int):
            value = value[each]
        else:
            continue
        known.append(str(each))
    return ".".join(known)


def _vagueness(found: tuple[str, ErrorDetails]) -> tuple[bool, int]:
    """Order mistakes: where a text or a list is taken, that of a list tells more."""
    place, wrong = found
    return wrong["type"] == "string_type", -place.count(".")
