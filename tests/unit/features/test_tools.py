"""What the program's own tools do with their ports."""

import pytest

from palabre.core.knowledge.model import Passage
from palabre.core.tools.arguments import Refusal, read_arguments
from palabre.core.tools.model import Tool, ToolPorts, ToolUse
from palabre.features import tools
from palabre.kernel.errors import UpstreamError
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.registry import discover
from palabre.testing.web import ScriptedSearch, a_hit
from palabre.texts import say

TOOLS = discover(tools, "TOOL", Tool)


def use(**arguments: str) -> ToolUse:
    return ToolUse(arguments, Nick("Sherlock"), ChannelName("#general"))


class TwoPassages:
    async def find(self, question: str) -> list[Passage]:
        return [
            Passage("1", "Manifeste", "manifeste.md", f"Sur {question}.", 3, 0.9),
            Passage("2", "Notes", "notes.md", "Autre.", None, 0.5),
        ]

    async def count_documents(self) -> int:
        return 2


def test_there_are_the_three_tools_of_the_contract() -> None:
    assert list(TOOLS) == ["image_generate", "rag_search", "web_search"]
    assert [tool.suits_small for tool in TOOLS.values()] == [True, False, True]


@pytest.mark.parametrize("name", list(TOOLS))
def test_each_needs_its_one_argument(name: str) -> None:
    schema = TOOLS[name].spec.parameters
    wanted = "prompt" if name == "image_generate" else "query"
    assert isinstance(read_arguments(schema, "{}"), Refusal)
    assert read_arguments(schema, f'{{"{wanted}": "x", "y": 1}}') == {wanted: "x"}


async def test_none_is_ready_without_its_service_and_each_says_why() -> None:
    reasons = [await tool.why_not(ToolPorts()) for tool in TOOLS.values()]
    assert all(reason and say(reason, "en") for reason in reasons)
    with pytest.raises(UpstreamError):
        await TOOLS["web_search"].run(use(query="x"), ToolPorts())
    with pytest.raises(UpstreamError):
        await TOOLS["image_generate"].run(use(prompt="x"), ToolPorts())


async def test_a_search_gives_numbered_results() -> None:
    search = ScriptedSearch(a_hit(1), a_hit(2))
    ports, tool = ToolPorts(search=search), TOOLS["web_search"]
    assert await tool.why_not(ports) is None
    told = await tool.run(use(query="traces"), ports)
    assert told.startswith("1. Page 1\n   Extrait 1\n   https://example.org/1\n\n2. ")
    assert search.queries == ["traces"]
    assert say(tool.about(use(query="a\nb"))) == "Sherlock cherche sur le web : a b"


async def test_documents_are_looked_up_with_their_titles() -> None:
    ports = ToolPorts(passages=TwoPassages())
    tool = TOOLS["rag_search"]
    assert await tool.why_not(ports) is None
    told = await tool.run(use(query="le bruit"), ports)
    assert told == "Manifeste, p. 3 :\nSur le bruit.\n---\nNotes :\nAutre."
    assert "le bruit" in say(tool.about(use(query="le bruit")))


async def test_a_picture_is_shown_in_the_name_of_the_persona() -> None:
    shown: list[tuple[str, str, str]] = []

    async def show(prompt: str, nick: Nick, channel: ChannelName) -> None:
        shown.append((prompt, nick, channel))

    ports, tool = ToolPorts(show_picture=show), TOOLS["image_generate"]
    assert await tool.why_not(ports) is None
    assert "tout le canal la voit" in await tool.run(use(prompt="un chat"), ports)
    assert shown == [("un chat", "Sherlock", "#general")]
    assert "un chat" in say(tool.about(use(prompt="un chat")))
