"""What a tool is, and what it may use."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Union

from palabre.core.knowledge.ports import NoDocuments, PassageFinder
from palabre.core.models.model import ToolSpec
from palabre.core.web.ports import WebSearch
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.text import Text
from palabre.kernel.visible import one_line

Json = Union[str, int, float, bool, None, Sequence["Json"], Mapping[str, "Json"]]  # noqa: UP007
Arguments = Mapping[str, Json]

CALL_TIMEOUT_S = 20.0
"""Longest use of a tool, unless it says otherwise."""

MAX_SHOWN_CHARS = 200
"""Of an argument that the room is shown."""

ShowPicture = Callable[[str, Nick, ChannelName], Awaitable[None]]
"""Makes a picture from a prompt, for the author named, shows it in the channel and keeps it.

May raise `UpstreamError`."""


@dataclass(frozen=True, slots=True)
class ToolPorts:
    """What tools stand on.

    Attributes:
        search: Searches the web; None where nobody does.
        passages: Finds passages of documents.
        show_picture: None where nobody makes pictures.
    """

    search: WebSearch | None = None
    passages: PassageFinder = field(default_factory=NoDocuments)
    show_picture: ShowPicture | None = None


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call of a tool, its arguments checked.

    Attributes:
        speaker: Nick of the persona.
        channel: Where the answer is given.
    """

    arguments: Arguments
    speaker: Nick
    channel: ChannelName

    def words(self, name: str) -> str:
        """Return the argument *name* where it is a text, else nothing."""
        value = self.arguments.get(name)
        return value if isinstance(value, str) else ""

    def shown(self, name: str) -> str:
        """Return the argument *name* as the room is shown it, on one line."""
        return one_line(self.words(name), MAX_SHOWN_CHARS)


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that personas can use.

    Attributes:
        spec: Its name, purpose and arguments, as models are told.
        run: Uses it; returns what the model is told, as data from outside.
        about: What the room is told when it is used.
        why_not: Why it cannot be used now; None when it can.
        key: How a persona's list names it; empty stands for the spec's name.
        timeout_s: Longest use.
        suits_small: Whether models that lose their thread in long prompts are told of it.
    """

    spec: ToolSpec
    run: "Callable[[ToolUse, ToolPorts], Awaitable[str]]"
    about: "Callable[[ToolUse], Text]"
    why_not: "Callable[[ToolPorts], Awaitable[Text | None]]"
    key: str = ""
    timeout_s: float = CALL_TIMEOUT_S
    suits_small: bool = True

    @property
    def name(self) -> str:
        """By which models call it."""
        return self.spec.name

    @property
    def permission(self) -> str:
        """By which a persona's list allows it."""
        return self.key or self.spec.name
