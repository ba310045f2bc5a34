"""Can recordings be transcribed? Without that they are still shared."""

from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge


async def _hearing(machine: Surroundings) -> Finding:
    return judge("hearing", await machine.ears(), otherwise="warning")


CHECK = Check("hearing", _hearing)
