"""/memory: what a persona remembers (seed 000 §13.2)."""

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command
from palabre.core.chat.model import NoticeGiven
from palabre.core.memory.telling import memory_page
from palabre.kernel.text import text


async def _memory(call: Call) -> None:
    if not call.rest:
        call.answer("memory.usage")
        return
    persona = call.rooms.cast.named(call.rest)
    if persona is None:
        known = ", ".join(each.nick for each in call.rooms.cast.personas)
        call.answer("memory.unknown", name=call.rest, personas=known)
        return
    memory = await call.memories.recall(persona.id, persona.nick)
    call.tell(NoticeGiven(memory_page(persona.nick, memory)))


COMMAND = Command(
    "memory", _memory, usage=text("usage.memory"), rank=10, permission=Permission.CHAT_READ
)
