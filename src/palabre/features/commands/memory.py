"""/memory: what a persona remembers (seed 000 §13.2)."""

from palabre.core.chat.commands import Call, Command
from palabre.core.memory.model import Memory
from palabre.core.personas.model import Persona
from palabre.kernel.clock import iso_utc
from palabre.kernel.text import text, verbatim


async def _memory(call: Call) -> None:
    if not call.rest:
        call.answer("memory.usage")
        return
    persona = call.rooms.cast.named(call.rest)
    if persona is None:
        known = ", ".join(each.nick for each in call.rooms.cast.personas)
        call.answer("memory.unknown", name=call.rest, personas=known)
        return
    _show(call, persona, await call.memories.recall(persona.id, persona.nick))


def _show(call: Call, persona: Persona, memory: Memory) -> None:
    facts = [
        text("memory.fact", number=number, fact=fact) for number, fact in enumerate(memory.facts, 1)
    ]
    call.answer(
        "memory.page",
        nick=persona.nick,
        count=len(facts),
        facts=tuple(facts) or text("memory.no_fact"),
        summary=verbatim(memory.summary) if memory.summary else text("memory.no_summary"),
        updated=verbatim(iso_utc(memory.updated_at)) if memory.updated_at else text("memory.never"),
    )


COMMAND = Command("memory", _memory, usage=text("usage.memory"), rank=10)
