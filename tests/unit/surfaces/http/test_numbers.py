"""Whole numbers in bodies."""

from typing import Annotated, Any

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from palabre.surfaces.http.numbers import WHOLE

DAYS = TypeAdapter(Annotated[int, Field(strict=True, ge=1, le=365), WHOLE])


@pytest.mark.parametrize(("sent", "read"), [("3", 3), ("3.0", 3), ("3e1", 30), ("365.0", 365)])
def test_a_whole_number_is_one_however_json_writes_it(sent: str, read: int) -> None:
    found = DAYS.validate_json(sent)
    assert (found, type(found)) == (read, int)


@pytest.mark.parametrize("sent", ["3.5", '"3"', "true", "null", "0.0", "366.0", "1e400", "[3]"])
def test_nothing_else_is_one(sent: str) -> None:
    with pytest.raises(ValidationError):
        DAYS.validate_json(sent)


def test_it_is_described_as_an_integer() -> None:
    described: dict[str, Any] = DAYS.json_schema()
    assert described == {"type": "integer", "minimum": 1, "maximum": 365}
