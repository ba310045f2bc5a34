"""rag_search: look something up in the documents (seed 000 §17)."""

from palabre.core.knowledge.model import Passage
from palabre.core.models.model import ToolSpec
from palabre.core.tools.model import Tool, ToolPorts, ToolUse
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


async def _run(use: ToolUse, ports: ToolPorts) -> str:
    passages = await ports.passages.find(use.words("query"))
    return "\n---\n".join(map(_told, passages))


def _told(passage: Passage) -> str:
    page = "" if passage.page is None else f", p. {passage.page}"
    return f"{passage.title}{page} :\n{passage.text}"


def _about(use: ToolUse) -> Text:
    return text("tool.rag_search.used", nick=use.speaker, query=use.shown("query"))


async def _why_not(ports: ToolPorts) -> Text | None:
    return None if await ports.passages.count_documents() else text("tool.rag_search.no_documents")


# Small models have the passages in their prompt already.
TOOL = Tool(_SPEC, _run, _about, _why_not, suits_small=False)
