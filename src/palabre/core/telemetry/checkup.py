"""Checks of a machine: what they may ask, and what they find."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from palabre.kernel.text import Text

Level = Literal["good", "warning", "failure"]
Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class State:
    """How one thing is; *detail* names it, or says why it is not well."""

    ok: bool
    detail: str = ""


class Surroundings(Protocol):
    """What checks ask about this machine and its settings. Nothing here changes anything.

    How a thing is comes with what it is called, and with the reason where it is not well.
    """

    def setting(self, key: str) -> Value:
        """Return the value of *key*, such as `models.provider`; secrets are masked.

        Raises:
            AttributeError: There is no such key.
        """
        ...

    async def can_write(self, folder: str) -> State:
        """Say whether *folder*, or the one it would be made in, can be written."""
        ...

    async def can_listen(self, address: str) -> State:
        """Say whether *address*, such as `127.0.0.1:3333`, can be listened on."""
        ...

    async def is_palabre(self, address: str) -> State:
        """Say whether it is Palabre that answers at *address*."""
        ...

    async def answers(self, url: str) -> State:
        """Say whether a server answers at *url*, whatever it says, within two seconds."""
        ...

    async def weights(self) -> State:
        """Say whether the embedded model's weights are here."""
        ...

    async def voices(self) -> State:
        """Say whether anything can speak."""
        ...

    async def ears(self) -> State:
        """Say whether anything can listen."""
        ...

    async def personas(self) -> State:
        """Say whether all personas can be read."""
        ...

    async def knowledge(self) -> State:
        """Say whether the documents can be searched, all of them by their meaning too."""
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
