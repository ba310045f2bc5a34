"""Can the documents be searched, by their meaning too? Personas answer without them."""

from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge


async def _knowledge(machine: Surroundings) -> Finding:
    return judge("knowledge", await machine.knowledge(), otherwise="warning")


CHECK = Check("knowledge", _knowledge)
