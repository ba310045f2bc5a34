import asyncio
from dataclasses import replace

import pytest

from palabre.core.models.model import Capability, ModelInfo, ToolCall
from palabre.core.tools.model import ToolPorts
from palabre.core.tools.toolbox import MAX_OFFERED, MAX_RESULT_CHARS, Toolbox, ToolSet
from palabre.kernel.errors import UpstreamError, UserError
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.text import Text
from palabre.testing.personas import a_persona
from palabre.testing.tools import ScriptedSource, ScriptedTool
from palabre.texts import say

ABLE = ModelInfo("p", "m", capabilities=frozenset({Capability.CHAT, Capability.TOOLS}))
SMALL = replace(ABLE, parameters=500_000_000)
SHERLOCK = replace(a_persona("Sherlock"), tools=("web_search", "rag_search", "mcp:lab/*"))
QUERY = '{"query": "traces"}'


def toolbox(*tools: ScriptedTool, sources: tuple[ScriptedSource, ...] = ()) -> Toolbox:
    own = {each.tool.name: each.tool for each in tools}
    return Toolbox(ToolSet(own, sources), ToolPorts(), say)


async def use(box: Toolbox, call: ToolCall, *tools: ScriptedTool) -> tuple[str, list[Text]]:
    told: list[Text] = []
    offered = {each.tool.name: each.tool for each in tools}
    nick, channel = Nick("Sherlock"), ChannelName("#general")
    words = await box.use(call, offered, speaker=nick, channel=channel, tell=told.append)
    return words, told


async def test_a_persona_gets_what_its_list_names() -> None:
    box = toolbox(ScriptedTool("web_search"), ScriptedTool("image_generate"))
    assert list(await box.offered(SHERLOCK, ABLE)) == ["web_search"]
    assert await box.offered(a_persona("Pharmacius"), ABLE) == {}


async def test_a_model_that_knows_no_tools_gets_none() -> None:
    source = ScriptedSource("lab")
    box = toolbox(ScriptedTool(), sources=(source,))
    assert await box.offered(SHERLOCK, ModelInfo("p", "m")) == {}
    assert source.asked == 0


async def test_small_models_get_those_that_suit_them() -> None:
    box = toolbox(ScriptedTool("web_search"), ScriptedTool("rag_search", suits_small=False))
    assert list(await box.offered(SHERLOCK, SMALL)) == ["web_search"]
    assert list(await box.offered(SHERLOCK, ABLE)) == ["web_search", "rag_search"]


async def test_a_tool_without_its_service_is_not_offered() -> None:
    box = toolbox(ScriptedTool("web_search", reason="nobody searches"))
    assert await box.offered(SHERLOCK, ABLE) == {}


async def test_sources_are_asked_only_for_those_who_may_use_them() -> None:
    probe = ScriptedTool("lab_probe", key="mcp:lab/probe")
    other = ScriptedTool("den_bite", key="mcp:den/bite")
    lab, den = ScriptedSource("lab", probe.tool), ScriptedSource("den", other.tool)
    box = toolbox(sources=(lab, den))
    assert list(await box.offered(SHERLOCK, ABLE)) == ["lab_probe"]
    assert (lab.asked, den.asked) == (1, 0)


async def test_a_source_offers_only_what_is_its_own() -> None:
    liar = ScriptedTool("den_bite", key="mcp:den/bite")
    box = toolbox(ScriptedTool("web_search"), sources=(ScriptedSource("lab", liar.tool),))
    assert list(await box.offered(SHERLOCK, ABLE)) == ["web_search"]


async def test_a_source_cannot_take_the_name_of_another_tool() -> None:
    own = ScriptedTool("web_search")
    thief = ScriptedTool("web_search", key="mcp:lab/web_search")
    box = toolbox(own, sources=(ScriptedSource("lab", thief.tool),))
    assert (await box.offered(SHERLOCK, ABLE))["web_search"] is own.tool


async def test_a_source_that_is_down_takes_nothing_else_with_it() -> None:
    source = ScriptedSource("lab")
    source.error = UpstreamError(detail="down")
    box = toolbox(ScriptedTool("web_search"), sources=(source,))
    assert list(await box.offered(SHERLOCK, ABLE)) == ["web_search"]


async def test_one_request_offers_a_limited_number() -> None:
    many = [ScriptedTool(f"lab_{n}", key=f"mcp:lab/{n}").tool for n in range(99)]
    box = toolbox(sources=(ScriptedSource("lab", *many),))
    assert len(await box.offered(SHERLOCK, ABLE)) == MAX_OFFERED


async def test_a_call_is_told_to_the_room_and_its_result_to_the_model() -> None:
    tool = ScriptedTool(result="Trouvé.")
    words, told = await use(toolbox(tool), ToolCall("1", "web_search", QUERY), tool)
    assert words == "Trouvé."
    assert [say(each) for each in told] == ["Sherlock uses web_search: traces"]
    assert tool.uses[0].arguments == {"query": "traces"}


async def test_a_name_that_was_not_offered_is_told_as_unknown() -> None:
    tool = ScriptedTool()
    words, told = await use(toolbox(tool), ToolCall("1", "rm_rf", QUERY), tool)
    assert (words, told, tool.uses) == ("Outil inconnu : rm_rf. Réponds sans lui.", [], [])


async def test_bad_arguments_use_nothing() -> None:
    tool = ScriptedTool()
    words, told = await use(toolbox(tool), ToolCall("1", "web_search", '{"query": 3}'), tool)
    assert "query" in words
    assert (told, tool.uses) == ([], [])


@pytest.mark.parametrize(
    ("error", "part"),
    [(UpstreamError(detail="en grève"), "en grève"), (UserError(), "pas valable")],
)
async def test_a_failure_is_told_with_its_reason(error: UpstreamError, part: str) -> None:
    tool = ScriptedTool()
    tool.error = error
    words, _ = await use(toolbox(tool), ToolCall("1", "web_search", QUERY), tool)
    assert words.startswith("L'outil web_search a échoué : ")
    assert part in words


async def test_a_tool_that_hangs_is_given_up() -> None:
    tool = ScriptedTool(timeout_s=0.01)
    tool.gate = asyncio.Event()
    words, _ = await use(toolbox(tool), ToolCall("1", "web_search", QUERY), tool)
    assert words == "L'outil web_search n'a pas répondu en 0.01 secondes. Réponds sans lui."


async def test_a_long_result_is_cut_and_an_empty_one_is_told() -> None:
    long, empty = ScriptedTool(result="x" * 9999), ScriptedTool(result="")
    call = ToolCall("1", "web_search", QUERY)
    assert len((await use(toolbox(long), call, long))[0]) == MAX_RESULT_CHARS
    assert (await use(toolbox(empty), call, empty))[0] == "(Aucun résultat)"
