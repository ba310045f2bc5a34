"""Can personas speak? It matters only where they are to be heard."""

from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge
from palabre.kernel.text import text


async def _speech(machine: Surroundings) -> Finding:
    if not machine.setting("speech.enabled"):
        return Finding("good", text("doctor.speech.off"))
    return judge("speech", await machine.voices(), otherwise="warning")


CHECK = Check("speech", _speech)
