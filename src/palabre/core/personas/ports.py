"""Where personas come from."""

from typing import Protocol

from palabre.core.personas.model import Cast


class PersonaLibrary(Protocol):
    """Reads the personas."""

    async def load(self) -> Cast:
        """Return all personas and their topic rules as they are written now.

        Files with mistakes are left out; `Cast.problems` says all that is wrong in them.

        Raises:
            SetupError: There are mistakes, and nobody is left; `data["problems"]` names each.
        """
        ...
