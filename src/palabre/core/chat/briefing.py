"""Gather what a persona is told before it answers: memory, documents, what was said."""

from collections.abc import Sequence

from palabre.core.chat.chronicle import is_same
from palabre.core.chat.model import Utterance
from palabre.core.chat.ports import MessageStore
from palabre.core.chat.prompt import (
    SMALL_AVOIDED,
    SMALL_MAX_TOKENS,
    small_endings,
    small_temperature,
    write_prompt,
)
from palabre.core.chat.turns import Turn
from palabre.core.chat.utterances import newest_that_fit
from palabre.core.knowledge.ports import PassageFinder
from palabre.core.memory.ports import MemoryStore
from palabre.core.models.model import ChatRequest, ResolvedModel

MAX_TOKENS = 2048
"""Longest answer unless the persona says otherwise (facts of seed 000, 3.4)."""


class Briefer:
    """Writes the request of a turn."""

    def __init__(
        self,
        *,
        store: MessageStore,
        memories: MemoryStore,
        knowledge: PassageFinder,
        context_chars: int,
    ) -> None:
        self._store = store
        self._memories = memories
        self._knowledge = knowledge
        self._context_chars = context_chars

    async def brief(self, turn: Turn, resolved: ResolvedModel) -> ChatRequest:
        """Return what *resolved* is told so that the persona of *turn* answers.

        Raises:
            StorageError: What was said cannot be read.
        """
        persona, info = turn.persona, resolved.info
        passages = await self._knowledge.find(turn.question)
        messages = write_prompt(
            persona,
            turn.plainly or turn.text if info.is_small else turn.text,
            info=info,
            context=await self._context(turn),
            memory=await self._memories.recall(persona.id, persona.nick),
            passages=passages,
        )
        most = persona.max_tokens or MAX_TOKENS
        small = info.is_small
        return ChatRequest(
            model=info.id,
            messages=messages,
            max_tokens=min(most, SMALL_MAX_TOKENS) if small else most,
            temperature=small_temperature(passages) if small else None,
            avoid=SMALL_AVOIDED if small else (),
            ends_before=small_endings(persona.nick) if small else (),
            on_behalf_of=turn.channel,
        )

    async def _context(self, turn: Turn) -> Sequence[Utterance]:
        budget = self._context_chars + (len(turn.cause.text) if turn.cause else 0)
        said = await self._store.within(turn.channel, budget)
        summary = [each for each in said if each.kind == "summary"]
        others = [
            each
            for each in said
            if each.kind == "message" and not (turn.cause and is_same(each, turn.cause))
        ]
        left = self._context_chars - sum(len(each.text) for each in summary)
        return [*summary, *newest_that_fit(others, left)]
