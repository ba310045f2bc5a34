"""Runs, calls and results as JSON that comes back as it was: for stores, and for child processes.

What pages and clients read is `graph_json` and `run_json`; this is ours alone. Fields that are
absent get their default, fields that nobody knows are left out, so versions may differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import TypeVar, Union, cast, get_args, get_origin, get_type_hints

from palabre.core.engine.step import Blocked, Done, NotConfigured, StepResult, Waiting
from palabre.core.tools.model import Json

T = TypeVar("T")

_RESULTS = {each.__name__: each for each in (Done, Waiting, Blocked, NotConfigured)}


def kept(value: object) -> Json:
    """Return *value*, a dataclass of this package or a part of one, as JSON."""
    if is_dataclass(value):
        return {each.name: kept(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, Mapping):
        return {str(name): kept(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [kept(each) for each in value]
    return cast("Json", value)


def restored(kind: type[T], value: Json) -> T:
    """Return the *kind*, a dataclass of this package, that `kept` made *value* of.

    Raises:
        KeyError, TypeError, ValueError: It was made of something else.
    """
    return cast("T", _restored(kind, value))


def kept_result(result: StepResult) -> Json:
    """Return *result* as JSON."""
    return {"kind": type(result).__name__, "result": kept(result)}


def restored_result(value: Json) -> StepResult:
    """Return the result that `kept_result` made *value* of; raises as `restored` does."""
    if not isinstance(value, Mapping):
        raise TypeError(value)
    return cast("StepResult", _restored(_RESULTS[str(value["kind"])], value["result"]))


def _restored(kind: object, value: Json) -> object:
    origin = get_origin(kind)
    if origin in {Union, UnionType}:
        return _one_of(get_args(kind), value)
    if origin is tuple:
        return _items(get_args(kind), value)
    if origin is Sequence and is_dataclass(get_args(kind)[0]):
        return _items((*get_args(kind), ...), value)
    if origin is not None and isinstance(value, Mapping):
        item = get_args(kind)[-1]
        return {name: _restored(item, each) for name, each in value.items()}
    if isinstance(kind, type):
        return _object(kind, value)
    return value


def _object(kind: type, value: Json) -> object:
    if is_dataclass(kind):
        if not isinstance(value, Mapping):
            raise TypeError(value)
        hints = _hints(kind)
        known = {name: each for name, each in value.items() if name in hints}
        return kind(**{name: _restored(hints[name], each) for name, each in known.items()})
    if kind is datetime:
        return datetime.fromisoformat(str(value))
    return kind(str(value)) if issubclass(kind, StrEnum) else value


@cache
def _hints(kind: type) -> Mapping[str, object]:
    return get_type_hints(kind)


def _items(kinds: Sequence[object], value: Json) -> object:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise TypeError(value)
    ends = len(kinds) > 1 and kinds[1] is Ellipsis
    of_each = [kinds[0]] * len(value) if ends else kinds
    return tuple(_restored(each, item) for each, item in zip(of_each, value, strict=True))


def _one_of(kinds: Sequence[object], value: Json) -> object:
    """Return *value* as the one of *kinds* that is written like it; as it is if none is."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        classes = [each for each in kinds if is_dataclass(each)]
        return _restored(classes[0], value) if classes else value
    if isinstance(value, str):
        return _object(datetime, value) if datetime in kinds else value
    tuples = [each for each in kinds if get_origin(each) is tuple]
    return _restored(tuples[0], value) if tuples and isinstance(value, list) else value
