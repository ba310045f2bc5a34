"""Does the search service answer, if there is one?"""

from palabre.core.telemetry.checkup import Check, Finding, Surroundings, judge
from palabre.kernel.text import text


async def _web(machine: Surroundings) -> Finding:
    url = machine.setting("web.searxng_url") or machine.setting("web.search_api_base")
    if url:
        return judge("web", await machine.answers(str(url)), otherwise="warning")
    public = machine.setting("web.search") == "duckduckgo"
    return Finding("good", text("doctor.web.public" if public else "doctor.web.off"))


CHECK = Check("web", _web)
