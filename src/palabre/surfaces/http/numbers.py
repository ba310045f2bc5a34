"""Whole numbers in bodies, as JSON has them. Pure."""

from pydantic import BeforeValidator


def whole(value: object) -> object:
    """Return *value*, a number such as `3.0` as `3`: to JSON and to the seed they are one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(whole)
"""Comes last: `Annotated[int, Field(strict=True, ge=1, le=9), WHOLE]`; no text, no `true`."""
