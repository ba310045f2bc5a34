"""Does the server that makes pictures answer? It matters only where there is to be one."""

from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge
from palabre.kernel.text import text


async def _media(machine: Surroundings) -> Finding:
    url = machine.setting("media.comfyui_url")
    if not url:
        return Finding("good", text("doctor.media.off"))
    return judge("media", await machine.answers(str(url)), otherwise="warning")


CHECK = Check("media", _media)
