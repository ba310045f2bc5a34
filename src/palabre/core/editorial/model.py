"""What editors write of personas, and what people say of their answers."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from palabre.core.personas.model import Persona
from palabre.kernel.ids import Nick, PersonaId

Origin = Literal["shipped", "created", "orphan"]
"""From a file, made by an editor, or edited while its file has gone since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaEdit:
    """What editors want of a persona; None leaves a thing as its file has it.

    Attributes:
        created: Whether an editor made it; there is no file then.
        deleted: Whether an editor took it away again, and all else that was wanted of it.
        name: 1 to 50 characters; its nick is made of it.
        summary: Empty for none.
        enabled: Whether it speaks.
        max_tokens: 0 takes the limit away.
        made_at: When it was edited first.
    """

    persona_id: PersonaId
    created: bool = False
    deleted: bool = False
    name: str | None = None
    model: str | None = None
    summary: str | None = None
    enabled: bool | None = None
    prompt: str | None = None
    color: str | None = None
    voice: str | None = None
    max_tokens: int | None = None
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Wording:
    """The part of a persona that proposals change."""

    name: str
    model: str
    summary: str


@dataclass(frozen=True, slots=True)
class DeskPersona:
    """A persona as editors see it.

    Attributes:
        name: As editors write it; `persona.nick` is what the rooms make of it.
        persona: Who speaks; of an orphan, what is known.
        origin: Where it comes from.
        enabled: Whether it speaks.
        edited: Whether an editor changed anything.
        file_nick: What its file calls it, which nobody else may be called: it may be restored.
            None without a file.
    """

    name: str
    persona: Persona
    origin: Origin
    enabled: bool
    edited: bool
    file_nick: Nick | None = None

    @property
    def id(self) -> PersonaId:
        """Its id."""
        return self.persona.id

    @property
    def wording(self) -> Wording:
        """What proposals change."""
        return Wording(self.name, self.persona.model, self.persona.summary)


@dataclass(frozen=True, slots=True)
class Step:
    """An applied change, by which editors go back.

    Attributes:
        number: Counts up.
        before: The edit as it was.
        proposal_id: The proposal that was applied; empty for an editor's own change.
    """

    number: int
    before: PersonaEdit
    proposal_id: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """What a persona is made after.

    Attributes:
        references: At most 100, of at most 500 characters.
    """

    persona_id: PersonaId
    subject_name: str
    summary: str = ""
    references: tuple[str, ...] = ()


class FeedbackKind(StrEnum):
    """Where feedback comes from."""

    VOTE = "vote"
    ADMIN_EDIT = "admin_edit"
    CHAT_SIGNAL = "chat_signal"
    DRIFT_REPORT = "drift_report"


@dataclass(frozen=True, slots=True)
class Feedback:
    """One thing that was said of a persona.

    Attributes:
        message: Words, or JSON for votes and signals (`votes.Judgement`).
        leaning: 1 for, -1 against, 0 neither.
        slot: What one person may say once of one answer: what is said anew takes its place;
            empty for what has no place.
        prompt_key: The same for answers to one prompt; empty for what is no judgement.
    """

    id: str
    persona_id: PersonaId
    kind: FeedbackKind
    message: str
    created_at: datetime
    leaning: int = 0
    slot: str = ""
    prompt_key: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """How a persona could be.

    Attributes:
        reason: `reinforce_v2` as an editor asked for it, `pharmacius` as it came by itself.
        before: What it was when this was proposed.
        applied: Whether it is, or was gone beyond, what the persona is now.
    """

    id: str
    persona_id: PersonaId
    reason: str
    before: Wording
    after: Wording
    applied: bool
    created_at: datetime
