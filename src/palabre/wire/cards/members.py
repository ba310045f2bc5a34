"""JSON objects whose members keep their spelling, so that what is unknown is written back as read.

Values are parsed for reading only; numbers become floats, whatever their length.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from palabre.wire.cards.errors import CardError

_BLANK = " \t\r\n"


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


_decoder = json.JSONDecoder(parse_int=float, parse_constant=_refuse_constant)


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object.

    Attributes:
        key: The key as it is written, with its quotes.
        raw: The value as it is written.
        value: The value as it is read.
    """

    key: str
    raw: str
    value: object


Members = Mapping[str, Member]


def read_object(text: str) -> dict[str, Member]:
    """Return the members of the object that *text* is; of two with one key, the later.

    Raises:
        CardError: *text* is not JSON, not an object, or nested beyond reason.
    """
    try:
        members = dict(_pairs(text))
    except (ValueError, IndexError, RecursionError) as error:
        raise CardError("not_json") from error
    return members


def read_array(text: str) -> list[str]:
    """Return the elements of the array that *text* is, as they are written.

    Raises:
        CardError: *text* is not JSON, not an array, or nested beyond reason.
    """
    try:
        return [raw for raw, _ in _elements(text)]
    except (ValueError, IndexError, RecursionError) as error:
        raise CardError("not_json") from error


def read_value(text: str) -> object:
    """Return what *text*, which is JSON, stands for.

    Raises:
        CardError: It is not JSON, or nested beyond reason.
    """
    try:
        value: object = _decoder.decode(text)
    except (ValueError, RecursionError) as error:
        raise CardError("not_json") from error
    return value


def member(key: str, value: object) -> Member:
    """Return a member of our own; *value* is made of what JSON knows."""
    return Member(json.dumps(key), written(value), value)


def raw_member(key: str, raw: str) -> Member:
    """Return a member whose value is written as *raw* says."""
    return Member(json.dumps(key), raw, None)


def written(value: object) -> str:
    """Write *value* as JSON; half characters are escaped, so that UTF-8 can hold them."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if _is_whole(text) else json.dumps(value, separators=(",", ":"))


def write_object(members: Members) -> str:
    """Write *members* in their order and spelling."""
    return "{" + ",".join(f"{each.key}:{each.raw}" for each in members.values()) + "}"


def whole(text: str) -> str:
    """Return *text* with a sign in the place of each half character."""
    if _is_whole(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _pairs(text: str) -> Iterator[tuple[str, Member]]:
    position = _after(text, 0, "{")
    if text[position] == "}":
        _demand_end(text, position + 1)
        return
    while True:
        if text[position] != '"':
            raise ValueError(text[position : position + 20])
        key, end = _decoder.raw_decode(text, position)
        start = _after(text, end, ":")
        value, after = _decoder.raw_decode(text, start)
        yield key, Member(text[position:end], text[start:after], value)
        after = _skip(text, after)
        if text[after] == "}":
            _demand_end(text, after + 1)
            return
        position = _after(text, after, ",")


def _elements(text: str) -> Iterator[tuple[str, object]]:
    position = _after(text, 0, "[")
    if text[position] == "]":
        return
    while True:
        value, after = _decoder.raw_decode(text, position)
        yield text[position:after], value
        after = _skip(text, after)
        if text[after] == "]":
            return
        position = _after(text, after, ",")


def _after(text: str, position: int, sign: str) -> int:
    """Return where what follows *sign* begins; *sign* must be the next thing in *text*."""
    position = _skip(text, position)
    if text[position] != sign:
        raise ValueError(sign)
    return _skip(text, position + 1)


def _skip(text: str, position: int) -> int:
    while text[position : position + 1] in _BLANK and position < len(text):
        position += 1
    return position


def _demand_end(text: str, position: int) -> None:
    if _skip(text, position) != len(text):
        raise ValueError(text[position : position + 20])
