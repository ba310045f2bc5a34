import pytest

from palabre.adapters.models.plain_models import PlainModels, in_words
from palabre.adapters.models.upstream import RejectedError
from palabre.core.models.model import ChatMessage, ChatRequest, ToolCall, ToolSpec
from palabre.kernel.errors import UpstreamError

HELLO = ChatMessage("user", "Bonjour")
SEARCH = ToolSpec("web_search", "Cherche.", "{}")
RICH = ChatRequest("m", (HELLO,), tools=(SEARCH,), answer_schema="{}")
PLAIN = ChatRequest("m", (HELLO,))


class Server:
    """Refuses what it is told to refuse, and notes what it was sent."""

    def __init__(self, words: str = "tools are not supported", also_plain: bool = False) -> None:
        self.words = words
        self.also_plain = also_plain
        self.sent: list[ChatRequest] = []

    async def send(self, request: ChatRequest) -> str:
        self.sent.append(request)
        if request.tools or request.answer_schema or self.also_plain:
            raise RejectedError(detail=self.words)
        return "Oui."


async def test_what_is_refused_is_sent_once_more_without_and_then_always_without():
    models, server = PlainModels(), Server()
    assert await models.sent(RICH, server.send) == "Oui."
    assert await models.sent(RICH, server.send) == "Oui."
    assert server.sent == [RICH, PLAIN, PLAIN]


async def test_another_model_of_the_server_is_asked_in_full():
    models, server = PlainModels(), Server()
    await models.sent(RICH, server.send)
    other = ChatRequest("other", (HELLO,), tools=(SEARCH,))
    await models.sent(other, server.send)
    assert other in server.sent


async def test_a_prompt_that_is_too_long_is_not_tried_again():
    models, server = PlainModels(), Server("the request exceeds the available context size")
    with pytest.raises(RejectedError):
        await models.sent(RICH, server.send)
    assert server.sent == [RICH]


async def test_what_is_refused_either_way_is_not_remembered():
    models, server = PlainModels(), Server(also_plain=True)
    for _ in range(2):
        with pytest.raises(RejectedError):
            await models.sent(RICH, server.send)
    assert server.sent == [RICH, PLAIN] * 2


async def test_without_tools_and_schema_a_refusal_is_final():
    models, server = PlainModels(), Server(also_plain=True)
    with pytest.raises(RejectedError):
        await models.sent(PLAIN, server.send)
    assert server.sent == [PLAIN]


async def test_other_failures_are_not_tried_again():
    async def fail(request: ChatRequest) -> str:
        asked.append(request)
        raise UpstreamError(detail="500")

    asked: list[ChatRequest] = []
    with pytest.raises(UpstreamError):
        await PlainModels().sent(RICH, fail)
    assert asked == [RICH]


def test_what_a_tool_found_is_told_in_words():
    call = ToolCall("1", "web_search", '{"query": "x"}')
    messages = (
        HELLO,
        ChatMessage("assistant", "", tool_calls=(call,)),
        ChatMessage("tool", "pluie", tool_call=call),
    )
    told = in_words(ChatRequest("m", messages, tools=(SEARCH,)))
    assert [(each.role, each.content) for each in told.messages] == [
        ("user", "Bonjour"),
        ("assistant", 'web_search {"query": "x"}'),
        ("user", "web_search: pluie"),
    ]
    assert not any(each.tool_calls or each.tool_call for each in told.messages)
