"""Is the server's port free?"""

from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge


async def _port(machine: Surroundings) -> Finding:
    return judge("port", await machine.port())


CHECK = Check("port", _port)
