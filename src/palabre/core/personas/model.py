"""Who may answer."""

from dataclasses import dataclass

from palabre.core.personas.errors import Problem
from palabre.kernel.ids import Nick, PersonaId


@dataclass(frozen=True, slots=True)
class Example:
    """One exchange that shows a small model how a persona speaks."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Persona:
    """A voice in the rooms.

    Attributes:
        id: Lower-case name of its file.
        nick: Its name in a room.
        color: `#rrggbb`.
        model: The model it wishes for; a bare name means the default provider.
        summary: One line about it.
        prompt: The system prompt, 100-200 words of French.
        short_prompt: The same in one or two sentences, for models too small for `prompt`.
        examples: One or two exchanges, for the same models.
        voice: Name of its voice.
        tools: The tools that it may use.
        max_tokens: Longest answer; None leaves it to the program.
    """

    id: PersonaId
    nick: Nick
    color: str
    model: str
    summary: str
    prompt: str
    short_prompt: str = ""
    examples: tuple[Example, ...] = ()
    voice: str = ""
    tools: tuple[str, ...] = ()
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TopicRule:
    """Words of a subject, and the personas who answer when one of them is said.

    Attributes:
        topic: Name of the subject.
        words: Matched whole; folded (`words.folded`), as what is said is before it is compared.
        nicks: Who answers, in order.
    """

    topic: str
    words: frozenset[str]
    nicks: tuple[Nick, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """All personas and the rules by which they answer unasked, as loaded together.

    Attributes:
        personas: In the order of their introduction.
        topics: First match wins.
        dispatcher: Who answers when no name and no topic says who should; None, or nobody of
            that name, leaves it to the first persona.
        problems: What is wrong in the files that were left out.
    """

    personas: tuple[Persona, ...]
    topics: tuple[TopicRule, ...] = ()
    dispatcher: Nick | None = None
    problems: tuple[Problem, ...] = ()

    def named(self, name: str) -> Persona | None:
        """Return who is called *name*, by nick or id, in any case, with or without `@`."""
        wanted = name.removeprefix("@").casefold()
        known = (each for each in self.personas if wanted in {each.nick.casefold(), each.id})
        return next(known, None)
