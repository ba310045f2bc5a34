"""rag_search: look something up in the documents (seed 000 §17)."""

from palabre.core.knowledge.model import Passage
from palabre.core.models.model import ToolSpec
from palabre.core.tools.model import Services, Tool, ToolUse
from palabre.core.web.hits import one_line
from palabre.kernel.text import Text, text

_SPEC = ToolSpec(
    name="rag_search",
    description="Cherche un passage dans les documents de la maison.",
    parameters="""{
  "type": "object",
  "properties": {"query": {"type": "string", "description": "Ce qu'il faut y chercher."}},
  "required": ["query"]
}""",
)
_SHOWN_CHARS = 200


async def _run(use: ToolUse, services: Services) -> str:
    passages = await services.passages.find(use.words("query"))
    return "\n---\n".join(map(_told, passages))


def _told(passage: Passage) -> str:
    page = "" if passage.page is None else f", p. {passage.page}"
    return f"{passage.title}{page} :\n{passage.text}"


def _about(use: ToolUse) -> Text:
    query = one_line(use.words("query"), _SHOWN_CHARS)
    return text("tool.rag_search.used", nick=use.speaker, query=query)


async def _why_not(services: Services) -> Text | None:
    return None if await services.count_documents() else text("tool.rag_search.no_documents")


# Small models have the passages in their prompt already.
TOOL = Tool(_SPEC, _run, _about, _why_not, suits_small=False)
