"""Does Ollama answer? Only a failure where nothing else could."""

from palabre.core.models.model import AUTO, OLLAMA
from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge


async def _ollama(machine: Surroundings) -> Finding:
    provider = machine.setting("models.provider")
    alone = provider == AUTO and not machine.setting("models.embedded.enabled")
    state = await machine.answers(str(machine.setting("models.ollama.url")))
    return judge("ollama", state, otherwise="failure" if alone or provider == OLLAMA else "warning")


CHECK = Check("ollama", _ollama)
