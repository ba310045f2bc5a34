"""What an MCP server offers and answers, made fit for ours: named, short, without surprises."""

import json
import re
from collections.abc import Iterator, Sequence

from mcp import Client
from mcp_types import CallToolResult, TextContent
from mcp_types import Tool as McpTool

from palabre.core.models.model import ToolSpec
from palabre.core.tools.errors import ToolFailedError
from palabre.kernel.visible import one_line

MAX_TOOLS = 64
MAX_PAGES = 10
MAX_NAME_CHARS = 64
MAX_DESCRIPTION_CHARS = 400
MAX_SCHEMA_CHARS = 6000
MAX_ANSWER_CHARS = 100_000
MAX_REASON_CHARS = 300

_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


async def offered_by(client: Client) -> list[McpTool]:
    """Return what the server lists, as far as it is not too much.

    Raises:
        MCPError: It refuses.
    """
    found: list[McpTool] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if cursor is None or len(found) >= MAX_TOOLS:
            break
    return found[:MAX_TOOLS]


def specs_of(source: str, tools: Sequence[McpTool]) -> Iterator[tuple[McpTool, ToolSpec]]:
    """Yield those of *tools* that a model can be told of; no two have the same name."""
    names: set[str] = set()
    for tool in tools:
        name = _UNFIT.sub("_", f"{source}_{tool.name}")[:MAX_NAME_CHARS]
        schema = _schema(tool)
        if schema is None or name in names or len(tool.name) > MAX_NAME_CHARS:
            continue
        names.add(name)
        about = one_line(tool.description or tool.title or tool.name, MAX_DESCRIPTION_CHARS)
        yield tool, ToolSpec(name, about, schema)


def words_of(source: str, result: CallToolResult) -> str:
    """Return what *result* says in words.

    Raises:
        ToolFailedError: It says that the tool failed.
    """
    parts = [each.text for each in result.content if isinstance(each, TextContent)]
    told = "\n".join(parts)[:MAX_ANSWER_CHARS]
    if not told and result.structured_content is not None:
        told = json.dumps(result.structured_content, ensure_ascii=False)[:MAX_ANSWER_CHARS]
    if result.is_error:
        raise ToolFailedError(source=source, detail=one_line(told, MAX_REASON_CHARS))
    others = len(result.content) - len(parts)
    return told or (f"({others} contenu(s) sans texte)" if others else "")


def _schema(tool: McpTool) -> str | None:
    try:
        schema = json.dumps(tool.input_schema, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return None
    is_object = tool.input_schema.get("type", "object") == "object"
    return schema if is_object and len(schema) <= MAX_SCHEMA_CHARS else None
