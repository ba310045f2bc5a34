"""Run turns: one at a time for each persona and channel, in their own tasks, until stopped."""

import asyncio
from asyncio import Task, TaskGroup
from collections import Counter
from collections.abc import Callable
from itertools import chain

from palabre.core.chat.members import Member
from palabre.core.chat.model import Utterance
from palabre.core.chat.ongoing_reply import Reply
from palabre.core.chat.prompt import relayed
from palabre.core.chat.reading_aloud import ReadingAloud
from palabre.core.chat.reply import ReplyService
from palabre.core.chat.turns import Turn
from palabre.core.memory.keeper import MemoryKeeper
from palabre.core.memory.model import Exchange
from palabre.core.personas.mentions import next_speaker
from palabre.core.personas.model import Cast, Persona
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.errors import UserError
from palabre.kernel.ids import ChannelName, Nick, PersonaId
from palabre.kernel.text import text

MAX_WAITING = 8
"""Turns that may wait for one persona in one channel; each may take minutes."""


class PersonaBusyError(UserError):
    """Too many already wait for this persona's answer."""

    code = "persona_busy"


class TurnDesk:
    """Starts turns in the program's task group: they outlive whoever asked."""

    def __init__(
        self,
        *,
        tasks: TaskGroup,
        replies: ReplyService,
        reading_aloud: ReadingAloud,
        cast: Callable[[], Cast],
        telemetry: Telemetry,
        chain_depth: int,
        chain_delay_s: float,
        memory: MemoryKeeper | None = None,
    ) -> None:
        self._tasks = tasks
        self._replies = replies
        self._reading_aloud = reading_aloud
        self._cast = cast
        self._memory = memory
        self._telemetry = telemetry
        self._chain_depth = chain_depth
        self._chain_delay_s = chain_delay_s
        self._running: dict[Task[None], Reply] = {}
        self._calling: dict[Task[None], Reply] = {}
        self._locks: dict[tuple[PersonaId, ChannelName], asyncio.Lock] = {}
        self._lines: Counter[tuple[PersonaId, ChannelName]] = Counter()

    def start(self, turn: Turn) -> Task[None]:
        """Let *turn* take place; the task ends with its answer, not with those it calls for.

        Raises:
            PersonaBusyError: `MAX_WAITING` turns wait for this persona in this channel.
        """
        key = (turn.persona.id, turn.channel)
        if self._lines[key] > MAX_WAITING:
            raise PersonaBusyError(nick=turn.persona.nick, waiting=MAX_WAITING)
        self._lines[key] += 1
        reply = self._replies.begin(turn)
        task = self._tasks.create_task(self._take(reply), name=reply.id)
        self._running[task] = reply
        task.add_done_callback(self._done)
        return task

    @property
    def is_busy(self) -> bool:
        """Say whether anybody waits for an answer."""
        return bool(self._running or self._calling)

    def person_spoke(self, channel: ChannelName) -> None:
        """A person said something in *channel*: personas stop calling on one another there."""
        for reply in chain(self._running.values(), self._calling.values()):
            if reply.turn.channel == channel:
                reply.overtaken = True

    def stop(self, member: Member) -> list[Nick]:
        """Break off what *member* made personas say, anywhere; return their nicks."""
        stopped: dict[Nick, None] = {}
        for task, reply in self._running.items():
            if reply.turn.asked_by is member:
                reply.overtaken = True
                if self._break_off(task, reply, "reply.stopped", by=member.nick):
                    stopped[reply.turn.persona.nick] = None
        for task, reply in self._calling.items():
            if reply.turn.asked_by is member:
                task.cancel()
                stopped[reply.turn.persona.nick] = None
        for reply in self._reading_aloud.hush(member):
            stopped[reply.turn.persona.nick] = None
        return list(stopped)

    async def aclose(self) -> None:
        """Break everything off: the program ends. What was said until then is kept."""
        for task, reply in self._running.items():
            reply.overtaken = True
            self._break_off(task, reply, "reply.server_stops")
        for task in self._calling:
            task.cancel()
        await asyncio.gather(*self._running, *self._calling, return_exceptions=True)

    def _break_off(self, task: Task[None], reply: Reply, code: str, **data: str) -> bool:
        """Cut *reply* short, unless all was said; say whether it was."""
        if reply.is_ending:
            return False
        reply.broken_off = text(code, nick=reply.turn.persona.nick, **data)
        task.cancel()
        return True

    async def _take(self, reply: Reply) -> None:
        turn = reply.turn
        lock = self._locks.setdefault((turn.persona.id, turn.channel), asyncio.Lock())
        try:
            async with lock:
                said = await self._replies.run(reply)
            if said is not None:
                self._remember(reply, said)
                self._call_next(reply, said)
        except Exception:  # noqa: BLE001  outermost loop of a turn: the rooms go on
            self._replies.fault(reply)

    def _remember(self, reply: Reply, said: Utterance) -> None:
        """Have an exchange with a person noted: words of files, tools and personas are none."""
        turn, cause = reply.turn, reply.turn.cause
        if self._memory is None or turn.hop or cause is None or turn.text != cause.text:
            return
        answer = "" if reply.used_tools else said.text
        self._memory.note(
            turn.persona, Exchange(cause.nick, cause.channel, cause.at, cause.text, answer)
        )

    def _call_next(self, reply: Reply, said: Utterance) -> None:
        turn = reply.turn
        called = next_speaker(said.text, turn.persona, self._cast().personas)
        if called and turn.hop < self._chain_depth and not reply.overtaken:
            task = self._tasks.create_task(self._call_on(called, reply, said))
            self._calling[task] = reply
            task.add_done_callback(self._calling.pop)

    async def _call_on(self, called: Persona, reply: Reply, said: Utterance) -> None:
        await asyncio.sleep(self._chain_delay_s)
        if reply.overtaken:
            return
        turn = reply.turn
        words = relayed(turn.persona, said.text)
        following = Turn(
            called,
            turn.channel,
            turn.asked_by,
            words,
            cause=said,
            hop=turn.hop + 1,
            is_tainted=turn.is_tainted or reply.used_tools,
            asked=turn.origin,
        )
        try:
            self.start(following)
        except PersonaBusyError:
            self._telemetry.count("calls_dropped")

    def _done(self, task: Task[None]) -> None:
        turn = self._running.pop(task).turn
        key = (turn.persona.id, turn.channel)
        self._lines[key] -= 1
        if not self._lines[key]:
            del self._lines[key]
            self._locks.pop(key, None)
