"""People say what they think of answers, and it becomes pairs to train on."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.errors import FeedbackNotFoundError, PersonaNotFoundError
from palabre.core.editorial.model import DeskPersona, Feedback, FeedbackKind
from palabre.core.editorial.pairs import Pair, pairs_of
from palabre.core.editorial.ports import FeedbackStore
from palabre.core.editorial.votes import Judgement
from palabre.kernel.clock import Clock
from palabre.kernel.ids import Ids, PersonaId

MAX_LISTED = 200
PIECE = 200
"""Judgements that are read at once."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What was kept of a judgement."""

    id: str
    persona_id: PersonaId
    kind: FeedbackKind


class Opinions:
    """Takes judgements and gives them out."""

    def __init__(
        self, desk: EditorialDesk, store: FeedbackStore, *, clock: Clock, ids: Ids
    ) -> None:
        self._desk = desk
        self._store = store
        self._clock = clock
        self._ids = ids

    async def judge(self, voter: str, persona: str, judgement: Judgement) -> Saved:
        """Keep what *voter* thinks of an answer; what they thought of it before is forgotten.

        Args:
            voter: Who judges; the same for one person.
            persona: Who answered, by id, name or nick.
            judgement: What they think.

        Raises:
            PersonaNotFoundError: There is no such persona.
        """
        found = called(persona, await self._desk.personas())
        feedback = Feedback(
            self._ids.new("feedback"),
            found.id,
            judgement.kind,
            judgement.message,
            self._clock.now(),
            leaning=judgement.leaning,
            slot=_slot(voter, found, judgement),
            prompt_key=judgement.prompt_key,
        )
        return Saved(await self._store.put(feedback), found.id, judgement.kind)

    async def withdraw(self, voter: str, persona: str, judgement: Judgement) -> None:
        """Forget what *voter* thought of an answer, where it has the place of *judgement*.

        Args:
            voter: As in `judge`.
            persona: As in `judge`.
            judgement: Of the same answer: a thumb, whichever, takes back a thumb.

        Raises:
            PersonaNotFoundError: There is no such persona.
            FeedbackNotFoundError: They thought nothing of the kind.
        """
        found = called(persona, await self._desk.personas())
        if not await self._store.withdraw(_slot(voter, found, judgement)):
            raise FeedbackNotFoundError

    async def of(self, persona_id: str) -> Sequence[Feedback]:
        """Return the newest feedback on a persona, newest first.

        Raises:
            PersonaNotFoundError: There is none of that id.
        """
        persona = await self._desk.persona(persona_id)
        return await self._store.latest(persona.id, MAX_LISTED)

    async def pairs(self, persona_id: str | None = None) -> AsyncIterator[Pair]:
        """Yield the pairs of one persona, or of all, as `pairs.pairs_of` makes them."""
        known = await self._desk.personas()
        prompts = {each.id: f"{each.name}: {each.wording.summary}" for each in known}
        async for group in self._groups(PersonaId(persona_id) if persona_id else None):
            fallback = prompts.get(group[0].persona_id, group[0].persona_id)
            for pair in await asyncio.to_thread(lambda: list(pairs_of(group, fallback))):  # noqa: B023
                yield pair

    async def _groups(self, persona_id: PersonaId | None) -> AsyncIterator[list[Feedback]]:
        """Yield the judgements of one prompt after the other."""
        group: list[Feedback] = []
        last: Feedback | None = None
        while piece := await self._store.judgements(persona_id, last, PIECE):
            for each in piece:
                if group and _prompt(group[0]) != _prompt(each):
                    yield group
                    group = []
                group.append(each)
            last = piece[-1]
        if group:
            yield group


def _slot(voter: str, persona: DeskPersona, judgement: Judgement) -> str:
    return judgement.slot(f"{persona.id} {voter}")


def _prompt(feedback: Feedback) -> tuple[str, str]:
    return feedback.persona_id, feedback.prompt_key


def called(persona: str, personas: Sequence[DeskPersona]) -> DeskPersona:
    """Return who of *personas* has the id *persona*; else who has it, in any case, for a name.

    Raises:
        PersonaNotFoundError: Nobody has.
    """
    if found := next((each for each in personas if each.id == persona), None):
        return found
    wanted = persona.removeprefix("@").casefold()
    for each in personas:
        if wanted in {each.id, each.name.casefold(), each.persona.nick.casefold()}:
            return each
    raise PersonaNotFoundError(persona=persona[:100])
