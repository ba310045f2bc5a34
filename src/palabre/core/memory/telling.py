"""Tell people what a persona remembers (seed 000 §13.2, /memory). Pure."""

from palabre.core.memory.model import Memory
from palabre.kernel.clock import iso_utc
from palabre.kernel.ids import Nick
from palabre.kernel.text import Text, text, verbatim


def memory_page(nick: Nick, memory: Memory) -> Text:
    """Return what the persona *nick* remembers, its facts numbered from 1."""
    facts = tuple(
        text("memory.fact", number=number, fact=fact) for number, fact in enumerate(memory.facts, 1)
    )
    return text(
        "memory.page",
        nick=nick,
        count=len(facts),
        facts=facts or text("memory.no_fact"),
        summary=verbatim(memory.summary) if memory.summary else text("memory.no_summary"),
        updated=verbatim(iso_utc(memory.updated_at)) if memory.updated_at else text("memory.never"),
    )
