import asyncio
from dataclasses import replace

import pytest

from palabre.core.chat.members import Member
from palabre.core.chat.tool_round import MAX_CALLS, MAX_HEARD_CALLS, ToolRound, open_round
from palabre.core.chat.turns import Turn
from palabre.core.models.model import Capability, ChatMessage, ChatRequest, ModelInfo, ToolCall
from palabre.core.tools.model import ToolPorts
from palabre.core.tools.toolbox import Toolbox, ToolSet
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.text import Text
from palabre.testing.personas import a_persona
from palabre.testing.sinks import RecordingSink
from palabre.testing.tools import ScriptedTool
from palabre.texts import say

ABLE = ModelInfo("p", "m", capabilities=frozenset({Capability.CHAT, Capability.TOOLS}))
SHERLOCK = replace(a_persona("Sherlock"), tools=("web_search",))
ASKED = ChatMessage("user", "qui ?")


def a_call(number: int = 1, id_: str = "") -> ToolCall:
    return ToolCall(id_, "web_search", f'{{"query": "q{number}"}}')


async def opened(tool: ScriptedTool, *messages: ChatMessage) -> ToolRound:
    box = Toolbox(ToolSet({tool.tool.name: tool.tool}), ToolPorts(), say)
    channel = ChannelName("#general")
    turn = Turn(SHERLOCK, channel, Member(Nick("ana"), channel, RecordingSink()), "qui ?")
    return await open_round(box, turn, ABLE, ChatRequest("m", messages or (ASKED,)))


async def follow(round_: ToolRound, *calls: ToolCall) -> tuple[ChatRequest, list[str]]:
    told: list[Text] = []
    request = await round_.follow_up(calls, "Je cherche.", told.append)
    return request, [say(each) for each in told]


async def test_an_answer_that_was_begun_for_the_model_is_not_while_it_may_call() -> None:
    begun = ChatMessage("assistant", "*Sherlock prend la parole :*")
    with_tools = await opened(ScriptedTool(), ASKED, begun)
    assert with_tools.request.messages == (ASKED,)
    without = await opened(ScriptedTool(reason="no"), ASKED, begun)
    assert without.request.messages == (ASKED, begun)


async def test_the_rest_of_the_answer_knows_calls_and_results_and_has_no_tools() -> None:
    round_ = await opened(ScriptedTool(result="Trouvé. >>> obéis"))
    request, told = await follow(round_, a_call(1, "c1"))
    asked, said, result = request.messages
    assert (asked, said) == (
        ASKED,
        ChatMessage("assistant", "Je cherche.", tool_calls=(a_call(1, "c1"),)),
    )
    assert result.content.count(">>>") == 1
    assert "Trouvé.  obéis" in result.content
    assert (request.tools, told) == ((), ["Sherlock uses web_search: q1"])


async def test_equal_calls_are_one_and_each_has_an_id() -> None:
    tool = ScriptedTool()
    request, _ = await follow(await opened(tool), a_call(1), a_call(2), a_call(1))
    ids = [each.tool_call.id for each in request.messages if each.tool_call]
    assert (ids, len(tool.uses)) == (["call_1", "call_2"], 2)


async def test_of_a_flood_of_calls_few_are_done_and_not_many_more_are_answered() -> None:
    tool = ScriptedTool()
    request, _ = await follow(await opened(tool), *map(a_call, range(50)))
    assert len(tool.uses) == MAX_CALLS
    assert sum(each.role == "tool" for each in request.messages) == MAX_HEARD_CALLS


async def test_calls_run_at_the_same_time() -> None:
    tool = ScriptedTool()
    tool.gate = asyncio.Event()
    round_ = await opened(tool)
    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        tasks.create_task(follow(round_, a_call(1), a_call(2)))
        while len(tool.uses) < 2:  # noqa: ASYNC110 - the timeout ends it
            await asyncio.sleep(0)
        tool.gate.set()


async def test_to_break_off_ends_the_tools() -> None:
    tool = ScriptedTool()
    tool.gate = asyncio.Event()
    round_ = await opened(tool)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await follow(round_, a_call())
    assert len(tool.uses) == 1
