"""Is the server's port free?"""

from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge


async def _port(machine: Surroundings) -> Finding:
    address = f"{machine.setting('server.host')}:{machine.setting('server.port')}"
    return judge("port", await machine.can_listen(address))


CHECK = Check("port", _port)
