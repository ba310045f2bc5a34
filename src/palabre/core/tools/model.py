"""What a tool is, and what comes of using one."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from palabre.core.models.model import ToolSpec
from palabre.kernel.text import Text

Arguments = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call of a tool, its arguments checked.

    Attributes:
        speaker: Nick of the persona.
        channel: Where the answer is given.
    """

    arguments: Arguments
    speaker: str
    channel: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model is told, as data from outside.

    Attributes:
        words: For the model.
        notice: What the room is told besides; None for nothing.
    """

    words: str
    notice: Text | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that personas can use.

    Attributes:
        spec: Its name, purpose and arguments, as models are told.
        run: Uses it.
    """

    spec: ToolSpec
    run: "Callable[[ToolUse], Awaitable[ToolResult]]"

    @property
    def name(self) -> str:
        """By which models call it."""
        return self.spec.name
