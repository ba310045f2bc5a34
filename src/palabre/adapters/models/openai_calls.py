"""Calls of tools that arrive in pieces: the fragments of a streamed chat completion."""

from dataclasses import dataclass, field

import msgspec

from palabre.adapters.models.tool_wire import arguments_text
from palabre.core.models.model import ToolCall


class FunctionPart(msgspec.Struct):
    """A piece of what is called; some servers send the arguments whole, as an object."""

    name: str | None = None
    arguments: object = None


class CallPart(msgspec.Struct):
    """A piece of one call. The protocol names it by *index*; some servers do not."""

    index: int | None = None
    id: str | None = None
    function: FunctionPart | None = None


@dataclass(slots=True)
class _Growing:
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class CallParts:
    """Puts the pieces of an answer's calls together."""

    _calls: list[_Growing] = field(default_factory=list)
    _by_index: dict[int, _Growing] = field(default_factory=dict)

    def add(self, part: CallPart) -> None:
        """Add *part* to the call that it belongs to."""
        function = part.function or FunctionPart()
        call = self._call(part, function.name or "")
        call.id = call.id or part.id or ""
        call.name = call.name or function.name or ""
        if function.arguments is not None and function.arguments != "":
            call.arguments += arguments_text(function.arguments)

    def whole(self) -> list[ToolCall]:
        """Return the calls, in the order in which they began; those without a name are none."""
        return [
            ToolCall(call.id, call.name, call.arguments or "{}")
            for call in self._calls
            if call.name
        ]

    def _call(self, part: CallPart, name: str) -> _Growing:
        known = self._calls[-1] if self._calls else None
        if part.index is not None:
            known = self._by_index.get(part.index)
        if known is None or _is_another(known, part, name):
            known = _Growing()
            self._calls.append(known)
        if part.index is not None:
            self._by_index[part.index] = known
        return known


def _is_another(call: _Growing, part: CallPart, name: str) -> bool:
    """Say whether *part* begins a call after *call*, though nothing counts them apart."""
    other_id = bool(part.id and call.id and part.id != call.id)
    return bool(name and call.name) and (other_id or (part.index is None and not part.id))
