"""What was entered at a node, checked against its type. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from palabre.core.engine.model import Params
from palabre.core.engine.node_types import NodeType, Param
from palabre.core.tools.model import Json

MAX_TEXTS = 100
"""Entries of a parameter of several texts."""


@dataclass(frozen=True, slots=True)
class ParamFault:
    """Why a value will not do.

    Attributes:
        code: `param_missing`, `param_kind`, `param_least`, `param_most`, `param_choice`,
            `param_long`, or `param_unknown`.
        data: For the placeholders of its text.
    """

    param: str
    code: str
    data: Mapping[str, str | int | float]


def checked(node_type: NodeType, given: Params) -> tuple[Params, tuple[ParamFault, ...]]:
    """Return the values that a step gets, and what is wrong with those that were *given*.

    Numbers may be written as texts. What is no number counts as nothing, so the default stands in
    (facts of seed 000, 3.7); what is out of bounds is a fault, whose value is the default.
    """
    values: dict[str, Json] = {}
    faults: list[ParamFault] = []
    for param in node_type.params:
        value, fault = _read(param, given.get(param.name))
        values[param.name] = param.default if value is None or fault else value
        faults += [fault] if fault else []
    unknown = [name for name in given if node_type.param(name) is None]
    faults += [ParamFault(name, "param_unknown", {}) for name in unknown]
    return values, tuple(faults)


def _read(param: Param, given: Json) -> tuple[Json, ParamFault | None]:
    value = _plain(param, given)
    if value is None:
        if not _is_nothing(given) and param.kind not in {"integer", "number"}:
            return None, ParamFault(param.name, "param_kind", {"kind": param.kind})
        missing = param.required and param.default is None
        return None, ParamFault(param.name, "param_missing", {}) if missing else None
    return value, _out_of_bounds(param, value)


def _is_nothing(given: Json) -> bool:
    return given in (None, []) or (isinstance(given, str) and not given.strip())


def _plain(param: Param, given: Json) -> Json:
    """Return *given* as the kind of *param* has it; None for nothing, and for what is not it."""
    if param.kind in {"integer", "number"}:
        return _number(given, whole=param.kind == "integer")
    if param.kind == "boolean":
        return given if isinstance(given, bool) else {"true": True, "false": False}.get(str(given))
    if param.kind == "texts":
        return _texts(given)
    return (given.strip() or None) if isinstance(given, str) else None


def _number(given: Json, *, whole: bool) -> int | float | None:
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    try:
        value = float(given)
    except (ValueError, OverflowError):
        return None
    if not math.isfinite(value):
        return None
    return (int(value) if value.is_integer() else None) if whole else value


def _texts(given: Json) -> Json:
    parts = given.split("\n") if isinstance(given, str) else given
    if not isinstance(parts, list | tuple) or not all(isinstance(each, str) for each in parts):
        return None
    return [each.strip() for each in parts if isinstance(each, str) and each.strip()] or None


def _out_of_bounds(param: Param, value: Json) -> ParamFault | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _beyond(param, value)
    if param.kind == "choice" and value not in param.choices:
        return ParamFault(param.name, "param_choice", {"choices": ", ".join(param.choices)})
    parts = value if isinstance(value, list) else [value] if isinstance(value, str) else []
    longest = max((len(str(each)) for each in parts), default=0)
    if longest > param.max_chars or len(parts) > MAX_TEXTS:
        limits: dict[str, str | int | float] = {"limit": param.max_chars, "entries": MAX_TEXTS}
        return ParamFault(param.name, "param_long", limits)
    return None


def _beyond(param: Param, value: float) -> ParamFault | None:
    if param.least is not None and value < param.least:
        return ParamFault(param.name, "param_least", {"least": _told(param.least)})
    if param.most is not None and value > param.most:
        return ParamFault(param.name, "param_most", {"most": _told(param.most)})
    return None


def _told(bound: float) -> str:
    """Write *bound* as people do: 0.0000001, not 1e-07."""
    return f"{Decimal(str(bound)):f}".removesuffix(".0")
