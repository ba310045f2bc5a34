from palabre.core.models.model import ToolSpec
from palabre.core.tools.model import Tool, ToolPorts, ToolUse
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.tools import ScriptedTool


def test_only_a_text_is_taken_for_words() -> None:
    use = ToolUse({"query": "q", "count": 3}, Nick("S"), ChannelName("#c"))
    assert (use.words("query"), use.words("count"), use.words("none")) == ("q", "", "")


def test_a_tool_is_allowed_by_its_key_and_else_by_its_name() -> None:
    own, foreign = ScriptedTool("a").tool, ScriptedTool("b", key="mcp:lab/b").tool
    assert isinstance(own, Tool)
    assert isinstance(own.spec, ToolSpec)
    assert (own.permission, foreign.permission) == ("a", "mcp:lab/b")
    assert (own.name, foreign.name) == ("a", "b")


async def test_nothing_is_there_unless_it_is_given() -> None:
    ports = ToolPorts()
    assert (ports.search, ports.show_picture) == (None, None)
    assert await ports.passages.count_documents() == 0
    assert list(await ports.passages.find("q")) == []
