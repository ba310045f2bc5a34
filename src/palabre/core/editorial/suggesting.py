"""Pharmacius proposes how personas could be that people complain of, while nobody waits."""

import asyncio
import logging
from collections.abc import Callable, Sequence

from palabre.core.audit.model import Actor
from palabre.core.editorial.desk import EditorialDesk
from palabre.core.editorial.model import DeskPersona, Proposal, Wording
from palabre.core.editorial.ports import FeedbackStore
from palabre.core.editorial.proposing import SUGGESTED, Proposals
from palabre.core.personas.model import Cast
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.clock import Clock
from palabre.kernel.errors import PalabreError
from palabre.kernel.ids import PersonaId

PHARMACIUS = Actor("pharmacius", "editor")
"""Who proposes by itself, for the book of changes."""

MAX_AT_ONCE = 3
"""Personas for which a proposal is drafted on demand."""

LOOK_EVERY_S = 60.0
"""Between two looks at what people complain of; each drafts one proposal at the most."""

BUSY_CHECK_S = 0.25
RETRY_AFTER_S = 900.0
"""How long a persona is left alone for whom no draft came."""

_log = logging.getLogger(__name__)


class Suggester:
    """Drafts proposals out of complaints, one at a time, and never applies one.

    Args:
        desk: The personas.
        proposals: What makes and keeps them.
        feedback: What people complain of.
        cast: Those who speak: the dispatcher's model drafts.
        is_busy: Says whether anybody waits for an answer.
        after: Complaints since the last proposal that are enough.
        telemetry: Counts proposals and failures.
        clock: For the time between two tries.
    """

    def __init__(
        self,
        desk: EditorialDesk,
        proposals: Proposals,
        feedback: FeedbackStore,
        *,
        cast: Callable[[], Cast],
        is_busy: Callable[[], bool],
        after: int,
        telemetry: Telemetry,
        clock: Clock,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._desk = desk
        self._proposals = proposals
        self._feedback = feedback
        self._cast = cast
        self._is_busy = is_busy
        self._after = after
        self._telemetry = telemetry
        self._clock = clock
        self._look_every_s = look_every_s
        self._one_at_a_time = asyncio.Lock()
        self._not_before_s: dict[PersonaId, float] = {}

    async def run(self) -> None:
        """Look at what people complain of, now and then, until cancelled."""
        while True:
            await asyncio.sleep(self._look_every_s)
            try:
                await self.look()
            except PalabreError as error:
                _log.warning("no proposal: %r", error)
            except Exception:  # noqa: BLE001 - outermost loop of what goes on beside
                _log.exception("no proposal")

    async def look(self) -> Proposal | None:
        """Draft a proposal for the persona that is complained of most, if that is enough.

        Nothing is drafted while anybody waits for an answer, and what is being drafted is given
        up as soon as somebody does.
        """
        now_s = self._clock.monotonic()
        for persona in await self._complained_of(self._after):
            if self._is_busy():
                return None
            if self._not_before_s.get(persona.id, now_s) > now_s:
                continue
            async with self._one_at_a_time:
                return await self._propose_while_idle(persona)
        return None

    async def suggest(self, actor: Actor) -> Sequence[Proposal]:
        """Draft proposals now for those that are complained of at all, the most first.

        Raises:
            UpstreamError: The model fails; what was proposed by then is kept.
        """
        async with self._one_at_a_time:
            return [
                await self._propose(actor, persona, await self._draft(persona))
                for persona in (await self._complained_of(1))[:MAX_AT_ONCE]
            ]

    async def _complained_of(self, at_least: int) -> list[DeskPersona]:
        complaints = await self._feedback.complaints()
        found = [each for each in await self._desk.personas() if complaints.get(each.id, 0)]
        found.sort(key=lambda each: -complaints[each.id])
        return [each for each in found if complaints[each.id] >= at_least]

    async def _propose_while_idle(self, persona: DeskPersona) -> Proposal | None:
        async with asyncio.TaskGroup() as tasks:
            drafting = tasks.create_task(self._try_to_draft(persona))
            while not drafting.done():
                await asyncio.wait({drafting}, timeout=BUSY_CHECK_S)
                if self._is_busy():
                    drafting.cancel()
        if drafting.cancelled() or not (summary := drafting.result()):
            return None
        if persona.id not in {each.id for each in await self._complained_of(self._after)}:
            return None  # somebody else has proposed meanwhile, or they changed their minds
        return await self._propose(PHARMACIUS, persona, summary)

    async def _try_to_draft(self, persona: DeskPersona) -> str:
        try:
            return await self._draft(persona)
        except PalabreError as error:
            _log.warning("no draft for %s: %r", persona.id, error)
            self._telemetry.count("suggestion_failures")
            self._not_before_s[persona.id] = self._clock.monotonic() + RETRY_AFTER_S
            return ""

    async def _draft(self, persona: DeskPersona) -> str:
        cast = self._cast()
        orchestrator = cast.named(cast.dispatcher) if cast.dispatcher else None
        model = orchestrator.model if orchestrator else persona.persona.model
        return await self._proposals.draft(persona, model)

    async def _propose(self, actor: Actor, persona: DeskPersona, summary: str) -> Proposal:
        before = persona.wording
        after = Wording(before.name, before.model, summary)
        self._telemetry.count("suggestions")
        return await self._proposals.add(actor, persona, after, SUGGESTED)
