"""`palabre tools`: what personas can use besides words."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text as Styled

from palabre.app.cli.console import plain_console, shown_json
from palabre.app.cli.options import ConfigOption, JsonOption
from palabre.app.clock import SystemClock, SystemIds
from palabre.app.knowledge import opened_knowledge
from palabre.app.logs import configure_logs
from palabre.app.models import opened_registry
from palabre.app.personas import library_for
from palabre.app.settings import Settings, load_settings
from palabre.app.tools import opened_tools
from palabre.app.web import web_search
from palabre.core.knowledge.model import Passage
from palabre.core.knowledge.ports import PassageFinder
from palabre.core.models.errors import reason_of
from palabre.core.personas.model import Persona
from palabre.core.tools import words
from palabre.core.tools.arguments import Refusal, read_arguments
from palabre.core.tools.errors import ArgumentsRefusedError, RoomsOnlyError, UnknownToolError
from palabre.core.tools.model import Tool, ToolPorts, ToolUse
from palabre.core.tools.permissions import MCP, is_allowed, mcp_key
from palabre.core.tools.toolbox import ToolSet
from palabre.kernel.errors import PalabreError, UpstreamError
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.text import text
from palabre.texts import Language, say

app = typer.Typer(no_args_is_help=True)
SHOWN_PERSONAS = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One tool, or one source that offers none; *reason* says why it cannot be used."""

    name: str
    about: str
    personas: list[str]
    reason: str | None


@app.command(name="list")
def list_(*, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Print every tool, who may use it, and what is missing for that; starts MCP servers.

    **Examples**

    `palabre tools list`

    `palabre tools list --json`
    """
    settings = load_settings(config=config).settings
    configure_logs("error", settings.logs.format)
    rows = asyncio.run(_rows(settings))
    if as_json:
        report = [{**_plain(row), "available": row.reason is None} for row in rows]
        typer.echo(shown_json(report))
        return
    plain_console().print(_table(rows, settings.language))


@app.command(name="try")
def try_(
    name: Annotated[str, typer.Argument(help="As `palabre tools list` prints it.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Its arguments.")
    ] = None,
    *,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Use one tool and print what a model would be told.

    **Examples**

    `palabre tools try web_search query="musique concrète"`

    `palabre tools try mcp:clock/get_current_time timezone=Europe/Paris`
    """
    settings = load_settings(config=config).settings
    configure_logs("error", settings.logs.format)
    found = asyncio.run(_use(settings, name, arguments or []))
    report = {"tool": name, "found": found}
    typer.echo(shown_json(report) if as_json else found)


async def _rows(settings: Settings) -> list[Row]:
    personas = (await library_for(settings).load()).personas
    async with opened_tools(settings) as tools, _tool_ports(settings) as ports:
        own = [await _row(tool, ports, personas, settings) for tool in tools.own.values()]
        foreign = await asyncio.gather(
            *(_source_rows(tools, name, personas, settings) for name in settings.tools.mcp)
        )
    return [*own, *(row for rows in foreign for row in rows)]


async def _row(
    tool: Tool, ports: ToolPorts, personas: Sequence[Persona], settings: Settings
) -> Row:
    try:
        reason = await tool.why_not(ports)
    except PalabreError as error:
        reason = error.text
    told = say(reason, settings.language) if reason else None
    return Row(tool.permission, tool.spec.description, _users(tool.permission, personas), told)


async def _source_rows(
    tools: ToolSet, name: str, personas: Sequence[Persona], settings: Settings
) -> list[Row]:
    source = next(each for each in tools.sources if each.name == name)
    try:
        offered = await source.tools()
    except UpstreamError as error:
        reason = say(reason_of(error), settings.language)
        return [Row(mcp_key(name, "*"), "", _users(mcp_key(name, "*"), personas), reason)]
    return [await _row(tool, ToolPorts(), personas, settings) for tool in offered]


async def _use(settings: Settings, name: str, arguments: list[str]) -> str:
    async with opened_tools(settings) as tools, _tool_ports(settings) as ports:
        tool = await _find(tools, name)
        given = read_arguments(tool.spec.parameters, _as_json(arguments))
        if isinstance(given, Refusal):
            raise ArgumentsRefusedError(detail=given.words)
        use = ToolUse(given, Nick("palabre"), ChannelName("#general"))
        async with asyncio.timeout(tool.timeout_s):
            return await tool.run(use, ports) or words.NOTHING


async def _find(tools: ToolSet, name: str) -> Tool:
    if name == "image_generate":
        raise RoomsOnlyError(name=name)
    known = dict(tools.own)
    if name.startswith(MCP):
        wanted = name.removeprefix(MCP).partition("/")[0]
        for source in tools.sources:
            if source.name == wanted:
                known |= {tool.permission: tool for tool in await source.tools()}
    if name not in known:
        raise UnknownToolError(name=name, known=", ".join(known))
    return known[name]


def _as_json(arguments: list[str]) -> str:
    """Return `key=value` pairs as JSON; a value that is JSON itself keeps its type."""
    given: dict[str, object] = {}
    for argument in arguments:
        key, _, value = argument.partition("=")
        try:
            given[key] = json.loads(value)
        except ValueError:
            given[key] = value
    return json.dumps(given)


class _Unopened:
    """`PassageFinder` of a database that cannot be opened: whoever needs it is told why."""

    def __init__(self, error: PalabreError) -> None:
        self._error = error

    async def find(self, question: str) -> Sequence[Passage]:  # noqa: ARG002
        raise self._error

    async def count_documents(self) -> int:
        raise self._error


@asynccontextmanager
async def _tool_ports(settings: Settings) -> AsyncIterator[ToolPorts]:
    """Give what tools stand on, as the server does; pictures are shown in rooms only."""
    show = _nobody_sees if settings.media.comfyui_url else None
    async with opened_registry(settings) as models, AsyncExitStack() as stack:
        opening = opened_knowledge(settings, models, SystemClock(), SystemIds())
        passages: PassageFinder
        try:
            passages = await stack.enter_async_context(opening)
        except PalabreError as error:
            passages = _Unopened(error)
        yield ToolPorts(web_search(settings), passages, show)


async def _nobody_sees(_prompt: str, _nick: Nick, _channel: ChannelName) -> None:
    raise RoomsOnlyError(name="image_generate")


def _users(permission: str, personas: Sequence[Persona]) -> list[str]:
    return [each.nick for each in personas if is_allowed(permission, each.tools)]


def _plain(row: Row) -> dict[str, object]:
    return {
        "name": row.name,
        "about": row.about,
        "personas": row.personas,
        "reason": row.reason,
    }


def _table(rows: Sequence[Row], language: Language) -> Table:
    table = Table(box=None, show_header=False)
    for row in rows:
        ready = row.reason is None
        mark = Styled("+" if ready else "-", style="green" if ready else "yellow")
        users = _shortened(row.personas) or say(text("cli.tools.nobody"), language)
        table.add_row(mark, Styled(row.name, style="bold"), Styled(users), Styled(row.reason or ""))
    return table


def _shortened(names: list[str]) -> str:
    more = f" … ({len(names)})" if len(names) > SHOWN_PERSONAS else ""
    return ", ".join(names[:SHOWN_PERSONAS]) + more
