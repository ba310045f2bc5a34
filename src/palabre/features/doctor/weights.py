"""Is the embedded model here? If not, the first start fetches it, when it may."""

from palabre.core.models.model import AUTO, EMBEDDED
from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge
from palabre.kernel.text import text


async def _weights(machine: Surroundings) -> Finding:
    may_answer = machine.setting("models.provider") in {AUTO, EMBEDDED}
    if not (may_answer and machine.setting("models.embedded.enabled")):
        return Finding("good", text("doctor.weights.off"))
    return judge("weights", await machine.weights(), otherwise="warning")


CHECK = Check("weights", _weights)
