"""Can what must last be written?"""

from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge


async def _data_dir(machine: Surroundings) -> Finding:
    return judge("data_dir", await machine.can_write(str(machine.setting("data_dir"))))


CHECK = Check("data_dir", _data_dir)
