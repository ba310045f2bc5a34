"""Can all personas be read?"""

from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge


async def _personas(machine: Surroundings) -> Finding:
    return judge("personas", await machine.personas())


CHECK = Check("personas", _personas)
