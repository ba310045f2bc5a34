"""Is the embedded model here? If not, the first start fetches it, when it may."""

from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge
from palabre.kernel.text import text


async def _weights(machine: Surroundings) -> Finding:
    if not machine.uses_embedded:
        return Finding("good", text("doctor.weights.off"))
    return judge("weights", await machine.weights(), otherwise="warning")


CHECK = Check("weights", _weights)
