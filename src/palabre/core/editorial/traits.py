"""What editors give to personas, and how the book of changes tells it. Pure."""

from dataclasses import asdict, dataclass, fields, replace
from typing import Self

from palabre.core.audit.model import Json
from palabre.core.editorial.model import PersonaEdit, Proposal


@dataclass(frozen=True, slots=True)
class Traits:
    """What an editor changes; None leaves a thing as it is. See `PersonaEdit`."""

    name: str | None = None
    model: str | None = None
    summary: str | None = None
    enabled: bool | None = None
    prompt: str | None = None
    color: str | None = None
    voice: str | None = None
    max_tokens: int | None = None

    @classmethod
    def changed_by(cls, proposal: Proposal) -> Self:
        """Return what *proposal* changes: the rest may be otherwise by now, and stays."""
        before, after = asdict(proposal.before), asdict(proposal.after)
        return cls(**{name: value for name, value in after.items() if value != before[name]})

    @property
    def are_given(self) -> bool:
        """Whether there is anything to change."""
        return self != Traits()

    def given_to(self, edit: PersonaEdit) -> PersonaEdit:
        """Return *edit* with them."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return replace(edit, **{name: each for name, each in values.items() if each is not None})


def told(edit: PersonaEdit) -> dict[str, Json]:
    """Return *edit* for the book of changes."""
    values: dict[str, Json] = {
        "name": edit.name,
        "model": edit.model,
        "summary": edit.summary,
        "enabled": edit.enabled,
        "prompt": edit.prompt,
        "color": edit.color,
        "voice": edit.voice,
        "maxTokens": edit.max_tokens,
    }
    return {name: value for name, value in values.items() if value is not None}


def proposal_told(proposal: Proposal) -> dict[str, Json]:
    """Return *proposal* for the book of changes."""
    return {"proposal": proposal.id, "reason": proposal.reason, **asdict(proposal.after)}
