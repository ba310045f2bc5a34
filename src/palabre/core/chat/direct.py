"""Let one persona answer a program that keeps the dialogue itself: no room, no memory.

It is told what it is told in rooms, passages of documents included, asks the same models and waits
in the same lines. It uses no tools, and nothing of it is kept.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Literal

from palabre.core.chat.briefing import MAX_TOKENS
from palabre.core.chat.direct_prompt import Said, write_direct_prompt
from palabre.core.chat.errors import ModelComingError
from palabre.core.chat.ongoing_reply import MAX_ANSWER_CHARS
from palabre.core.chat.prompt import (
    SMALL_AVOIDED,
    SMALL_MAX_TOKENS,
    small_endings,
    small_temperature,
)
from palabre.core.chat.reading_ahead import read_ahead
from palabre.core.chat.reply import PIECE_CHARS
from palabre.core.chat.speech import SpeechCleaner
from palabre.core.knowledge.model import Passage
from palabre.core.knowledge.ports import PassageFinder
from palabre.core.media.analyst import FileAnalyst
from palabre.core.models.model import (
    AnswerEnded,
    AnswerEvent,
    AnswerGrew,
    ChatRequest,
    ResolvedModel,
    ThoughtGrew,
)
from palabre.core.models.quotation import as_data
from palabre.core.models.registry import ModelRegistry
from palabre.core.models.token_count import estimated_tokens
from palabre.core.personas.model import Persona

MOST_TOKENS = 16_384
"""Longest answer that may be asked for."""

MAX_ABOUT_CHARS = 2000
"""Of a question for which documents are searched."""

MAX_ENDINGS = 4
"""As `ChatRequest.ends_before`."""

_THINKS_FIRST = re.compile(r"(?:^|[^a-z])(?:r1|qwq|thinking|reason\w*|magistral)(?:[^a-z]|$)")
"""Models whose servers begin the thought for them: what comes first has no opening tag."""

_THOUGHT = "</think>"


@dataclass(frozen=True, slots=True)
class DirectQuestion:
    """What a program asks a persona.

    Attributes:
        dialogue: Oldest first; the last one is the user's.
        guidance: What the program says of the task; data to the persona.
        max_tokens: Longest answer; None leaves it to the persona.
        temperature: None leaves it to the model.
        ends_before: Texts at which the answer ends.
        on_behalf_of: Who waits, for the models' lines.
    """

    persona: Persona
    dialogue: Sequence[Said]
    guidance: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    ends_before: tuple[str, ...] = ()
    on_behalf_of: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """How many tokens were read and written; *is_estimated* where the model did not tell."""

    prompt_tokens: int
    answer_tokens: int
    is_estimated: bool


@dataclass(frozen=True, slots=True)
class SpeechGrew:
    """The persona said more; never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """The persona has said all; comes last, once.

    Attributes:
        text: All of it, without thoughts.
        reason: `length` when it was cut.
    """

    text: str
    reason: Literal["stop", "length"]
    usage: Usage


DirectEvent = SpeechGrew | SpeechEnded


class DirectAnswers:
    """Answers of personas to programs."""

    def __init__(
        self, *, models: ModelRegistry, knowledge: PassageFinder, analyst: FileAnalyst
    ) -> None:
        self._models = models
        self._knowledge = knowledge
        self._analyst = analyst

    def answer(self, question: DirectQuestion) -> AsyncGenerator[DirectEvent]:
        """Answer *question* piece by piece. Closing the generator ends the model's call.

        The model is not held up by who takes the pieces slowly, or takes none.

        Raises:
            ModelComingError: The first model is still being fetched.
            FileUnreadableError: Nobody can tell what is in a picture.
            UpstreamError: No model answers, or it is busy, fails, or falls silent.
        """
        return read_ahead(self._answer(question))

    async def _answer(self, question: DirectQuestion) -> AsyncGenerator[DirectEvent]:
        if (arrival := self._models.arrival) is not None:
            raise ModelComingError(percent=arrival.percent)
        resolved = await self._models.resolve(question.persona.model)
        request = await self._brief(question, resolved)
        speech = _Speech(question.persona, resolved)
        async with aclosing(self._models.stream(resolved, request)) as events:
            async for event in events:
                async for shown in speech.take(event):
                    yield SpeechGrew(shown)
                if speech.is_too_long:
                    break
        if shown := speech.finish():
            yield SpeechGrew(shown)
        yield speech.ended(request)

    async def _brief(self, question: DirectQuestion, resolved: ResolvedModel) -> ChatRequest:
        persona, info = question.persona, resolved.info
        dialogue = [await self._seen(said) for said in question.dialogue]
        passages = await self._knowledge.find(question.dialogue[-1].text[:MAX_ABOUT_CHARS])
        messages = write_direct_prompt(
            persona, dialogue, info=info, guidance=question.guidance, passages=passages
        )
        request = ChatRequest(
            model=info.id,
            messages=messages,
            max_tokens=min(question.max_tokens or persona.max_tokens or MAX_TOKENS, MOST_TOKENS),
            temperature=question.temperature,
            ends_before=question.ends_before[:MAX_ENDINGS],
            on_behalf_of=question.on_behalf_of,
        )
        return _for_small(request, persona, passages) if info.is_small else request

    async def _seen(self, said: Said) -> Said:
        """Return *said* with what its pictures show in words, as rooms tell it."""
        parts = [said.text]
        for picture in said.pictures:
            analysis = await self._analyst.analyse(picture)
            parts.append(f"{analysis.heading}\n{as_data(analysis.content)}")
        return Said(said.role, "\n\n".join(part for part in parts if part))


class _Speech:
    """What a persona has said so far, and what is held back of it."""

    def __init__(self, persona: Persona, resolved: ResolvedModel) -> None:
        self._end = AnswerEnded()
        self._has_thought = not _THINKS_FIRST.search(resolved.info.id.lower())
        self._cleaner = SpeechCleaner(persona.nick)
        self._held = ""
        self._written: list[str] = []
        self._left_chars = MAX_ANSWER_CHARS

    @property
    def is_too_long(self) -> bool:
        return self._left_chars < 0

    async def take(self, event: AnswerEvent) -> AsyncGenerator[str]:
        """Yield what can be shown with *event*: nothing before the first thought ended."""
        if isinstance(event, AnswerGrew):
            for start in range(0, min(len(event.text), self._left_chars + 1), PIECE_CHARS):
                if start:
                    await asyncio.sleep(0)
                if shown := self._feed(event.text[start : start + PIECE_CHARS]):
                    yield shown
        elif isinstance(event, ThoughtGrew):
            self._has_thought = True
        elif isinstance(event, AnswerEnded):
            self._end = event

    def _feed(self, piece: str) -> str:
        taken = piece[: max(0, self._left_chars)]
        self._left_chars -= len(piece)
        self._written.append(taken)
        if self._has_thought:
            held, self._held = self._held, ""
            return self._cleaner.feed(held + taken)
        self._held += taken
        if _THOUGHT not in self._held.lower():
            return ""
        self._has_thought = True
        return self._feed("")

    def finish(self) -> str:
        held, self._held = self._held, ""
        return self._cleaner.feed(held) + self._cleaner.finish()

    def ended(self, request: ChatRequest) -> SpeechEnded:
        reason = "length" if self.is_too_long else self._end.reason
        return SpeechEnded(self._cleaner.text, reason, self._usage(request))

    def _usage(self, request: ChatRequest) -> Usage:
        read, written = self._end.prompt_tokens, self._end.answer_tokens
        told = "".join(message.content for message in request.messages)
        return Usage(
            estimated_tokens(told) if read is None else read,
            estimated_tokens("".join(self._written)) if written is None else written,
            is_estimated=read is None or written is None,
        )


def _for_small(request: ChatRequest, persona: Persona, passages: Sequence[Passage]) -> ChatRequest:
    wished, ends = request.temperature, (*request.ends_before, *small_endings(persona.nick))
    return replace(
        request,
        max_tokens=min(request.max_tokens, SMALL_MAX_TOKENS),
        temperature=small_temperature(passages) if wished is None else wished,
        avoid=SMALL_AVOIDED,
        ends_before=ends[:MAX_ENDINGS],
    )
