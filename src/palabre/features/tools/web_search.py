"""web_search: search the web (seed 000 §17)."""

from palabre.core.models.model import ToolSpec
from palabre.core.tools.model import Services, Tool, ToolUse
from palabre.core.web.errors import NoSearchError
from palabre.core.web.hits import MAX_HITS, as_lines, one_line
from palabre.kernel.text import Text, text

_SPEC = ToolSpec(
    name="web_search",
    description="Cherche sur le web ce qui est récent ou que tu ne sais pas.",
    parameters="""{
  "type": "object",
  "properties": {"query": {"type": "string", "description": "Ce qu'il faut chercher."}},
  "required": ["query"]
}""",
)
_SHOWN_CHARS = 200


async def _run(use: ToolUse, services: Services) -> str:
    if services.search is None:
        raise NoSearchError
    return as_lines(await services.search.search(use.words("query"), MAX_HITS))


def _about(use: ToolUse) -> Text:
    query = one_line(use.words("query"), _SHOWN_CHARS)
    return text("tool.web_search.used", nick=use.speaker, query=query)


async def _why_not(services: Services) -> Text | None:
    return None if services.search else NoSearchError().text


TOOL = Tool(_SPEC, _run, _about, _why_not)
