"""/personas: list the personas, their models and the start of their prompts (seed 000 §13.2)."""

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command
from palabre.core.models.registry import ModelRegistry
from palabre.core.personas.model import Persona
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import Text, text

_PROMPT_CHARS = 60


async def _personas(call: Call) -> None:
    personas = call.rooms.cast.personas
    if not personas:
        call.answer("personas.none")
        return
    lines = (*map(_line, personas), *await _stand_ins(call.models, personas))
    call.answer("personas.page", lines=lines)


def _line(persona: Persona) -> Text:
    start = " ".join(persona.prompt.split())[:_PROMPT_CHARS]
    return text("personas.line", nick=persona.nick, model=persona.model, prompt=start)


async def _stand_ins(models: ModelRegistry, personas: tuple[Persona, ...]) -> tuple[Text, ...]:
    """Say once which model answers for those that are not installed."""
    wished = dict.fromkeys(persona.model for persona in personas)
    try:
        resolved = [await models.resolve(name) for name in wished]
    except UpstreamError as error:
        return (text("personas.no_model", reason=error.text),)
    missing = [each for each in resolved if each.substituted]
    if not missing:
        return ()
    names = ", ".join(each.asked for each in missing)
    return (text("personas.stand_in", missing=names, model=missing[0].info.ref),)


COMMAND = Command("personas", _personas, rank=5, permission=Permission.CHAT_READ)
