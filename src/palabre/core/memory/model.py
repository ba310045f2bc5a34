"""What a persona remembers."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Memory:
    """The working memory of one persona (seed 000 §11).

    Attributes:
        facts: Short sentences, oldest first.
        summary: What the talks were about; empty if nothing yet.
        updated_at: When it last changed; None if never.
    """

    facts: tuple[str, ...] = ()
    summary: str = ""
    updated_at: datetime | None = None
