"""Questions to a model provider that stands before a server of others."""

import pytest

from palabre.adapters.models.ollama import OllamaProvider
from palabre.adapters.models.openai_compatible import OpenAICompatibleProvider
from palabre.core.models.errors import reason_of
from palabre.core.models.model import AnswerEvent, AnswerGrew, ChatMessage, ChatRequest
from palabre.core.models.ports import ModelProvider
from palabre.core.models.slots import CallSlots
from palabre.kernel.errors import UpstreamError
from palabre.texts import say


def ask(model: str, words: str, max_tokens: int = 24) -> ChatRequest:
    return ChatRequest(model, (ChatMessage("user", words),), max_tokens, temperature=0.0)


async def events_of(provider: ModelProvider, request: ChatRequest) -> list[AnswerEvent]:
    return [event async for event in provider.stream(request)]


def pieces(events: list[AnswerEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, AnswerGrew)]


def ollama_at(url: str) -> OllamaProvider:
    return OllamaProvider(CallSlots(3, 8), url, timeout_s=60)


def openai_at(url: str) -> OpenAICompatibleProvider:
    return OpenAICompatibleProvider("peer", f"{url}/v1", "", slots=CallSlots(3, 8), timeout_s=60)


def detail(raised: "pytest.ExceptionInfo[UpstreamError]") -> str:
    return say(reason_of(raised.value), "en")
