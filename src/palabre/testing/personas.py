"""Personas for tests."""

from palabre.core.personas.model import Cast, Persona, TopicRule
from palabre.kernel.errors import SetupError
from palabre.kernel.ids import Nick, PersonaId


class StaticPersonaLibrary:
    """Returns the cast it was given.

    Attributes:
        cast: What `load` returns; assign another to play an edited file.
        error: What `load` raises instead, once; None lets it return.
    """

    def __init__(
        self,
        *personas: Persona,
        topics: tuple[TopicRule, ...] = (),
        dispatcher: Nick | None = None,
    ) -> None:
        self.cast = Cast(personas, topics, dispatcher)
        self.error: SetupError | None = None

    async def load(self) -> Cast:
        """Return `cast`, or raise `error` and forget it."""
        error, self.error = self.error, None
        if error:
            raise error
        return self.cast


def a_persona(
    nick: str,
    *,
    id: str = "",  # noqa: A002 - the name of the field
    color: str = "#4fc3f7",
    model: str = "qwen3:8b",
    prompt: str = "",
) -> Persona:
    """Return a persona called *nick*, with an id and a prompt after its nick."""
    return Persona(
        id=PersonaId(id or nick.casefold()),
        nick=Nick(nick),
        color=color,
        model=model,
        summary=f"Persona {nick}",
        prompt=prompt or f"Tu es {nick}.",
    )
