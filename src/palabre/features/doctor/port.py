"""Is the server's port free, or has Palabre taken it already?"""

from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge
from palabre.kernel.text import text


async def _port(machine: Surroundings) -> Finding:
    address = f"{machine.setting('server.host')}:{machine.setting('server.port')}"
    free = await machine.can_listen(address)
    if not free.ok and (ours := await machine.is_palabre(address)).ok:
        return Finding("good", text("doctor.port.ours", detail=ours.detail))
    return judge("port", free)


CHECK = Check("port", _port)
