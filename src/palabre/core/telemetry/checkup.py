"""Checks of a machine: what they may ask, and what they find."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from palabre.kernel.text import Text

Level = Literal["good", "warning", "failure"]


@dataclass(frozen=True, slots=True)
class State:
    """How one thing is; *detail* names it, or says why it is not well."""

    ok: bool
    detail: str = ""


class Surroundings(Protocol):
    """What checks ask about this machine and its settings. Nothing here raises or changes."""

    @property
    def provider(self) -> str:
        """The model provider of the settings, such as `auto`."""
        ...

    @property
    def uses_embedded(self) -> bool:
        """Whether a model may run inside the program."""
        ...

    async def data_dir(self) -> State:
        """Say whether the data dir can be written."""
        ...

    async def port(self) -> State:
        """Say whether the server's address can be listened on."""
        ...

    async def ollama(self) -> State:
        """Say whether Ollama answers, within two seconds."""
        ...

    async def weights(self) -> State:
        """Say whether the embedded model's weights are here."""
        ...

    async def personas(self) -> State:
        """Say whether all personas can be read."""
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        level: `failure` keeps the program from working, `warning` from working well.
        found: What is the case.
        fix: What to do; None when there is nothing to do.
    """

    level: Level
    found: Text
    fix: Text | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that `palabre doctor` looks at."""

    name: str
    run: Callable[[Surroundings], Awaitable[Finding]]


def judge(name: str, state: State, *, otherwise: Level = "failure") -> Finding:
    """Return the finding of the check *name*: good, or *otherwise* with its fix."""
    if state.ok:
        return Finding("good", Text(f"doctor.{name}.good", {"detail": state.detail}))
    found = Text(f"doctor.{name}.bad", {"detail": state.detail})
    return Finding(otherwise, found, Text(f"doctor.{name}.fix", {"detail": state.detail}))
