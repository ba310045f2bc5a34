"""Does Ollama answer? Only a failure where nothing else could."""

from palabre.core.models.model import AUTO, OLLAMA
from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge


async def _ollama(machine: Surroundings) -> Finding:
    needed = machine.provider == OLLAMA or (machine.provider == AUTO and not machine.uses_embedded)
    return judge("ollama", await machine.ollama(), otherwise="failure" if needed else "warning")


CHECK = Check("ollama", _ollama)
