"""web_search: search the web (seed 000 §17)."""

from palabre.core.models.model import ToolSpec
from palabre.core.tools.model import Tool, ToolPorts, ToolUse
from palabre.core.web.errors import NoSearchError
from palabre.core.web.hits import MAX_HITS, as_lines
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


async def _run(use: ToolUse, ports: ToolPorts) -> str:
    if ports.search is None:
        raise NoSearchError
    return as_lines(await ports.search.search(use.words("query"), MAX_HITS))


def _about(use: ToolUse) -> Text:
    return text("tool.web_search.used", nick=use.speaker, query=use.shown("query"))


async def _why_not(ports: ToolPorts) -> Text | None:
    return None if ports.search else NoSearchError().text


TOOL = Tool(_SPEC, _run, _about, _why_not)
