"""Where personas come from."""

from typing import Protocol

from palabre.core.personas.model import Cast


class PersonaLibrary(Protocol):
    """Reads the personas."""

    async def load(self) -> Cast:
        """Return all personas and their topic rules as they are written now.

        Raises:
            SetupError: A file is not a persona; `data["problems"]` names each with its reason.
        """
        ...
