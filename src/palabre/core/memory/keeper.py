"""Let personas learn from what people tell them, while they go on talking."""

import asyncio
import logging
from asyncio import Task, TaskGroup
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from palabre.core.memory.errors import LessonUnreadableError
from palabre.core.memory.lessons import MAX_ANSWER_CHARS, grounded, lesson_request, read_lesson
from palabre.core.memory.model import Exchange, Lesson, MemoryPolicy, Record
from palabre.core.memory.ports import MemoryStore
from palabre.core.memory.revising import learnable, learnt
from palabre.core.models.registry import ModelRegistry
from palabre.core.personas.model import Persona
from palabre.core.telemetry.ports import Telemetry
from palabre.core.telemetry.timing import timed
from palabre.kernel.clock import Clock, whole_ms
from palabre.kernel.errors import PalabreError
from palabre.kernel.ids import Ids, PersonaId

MAX_WINDOWS = 8
"""Windows that wait for a model which fails; the oldest makes room."""

MAX_TRIES = 3
"""Answers that make no sense after which a window is given up."""

READ_TIMEOUT_S = 180.0

_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Window:
    exchanges: tuple[Exchange, ...]
    tries: int = 0


@dataclass(slots=True)
class _Notebook:
    """What one persona has not learnt yet; lost when the program ends.

    Attributes:
        doubted: When something was forgotten by a clock that was ahead, and what is taken for it.
    """

    latest: deque[Exchange]
    doubted: tuple[datetime, datetime] | None = None
    unread: int = 0
    windows: deque[_Window] = field(default_factory=lambda: deque(maxlen=MAX_WINDOWS))
    reading: Task[None] | None = None


class MemoryKeeper:
    """Counts exchanges, and every few of them lets the persona's own model draw a lesson.

    That happens in the program's task group, for each persona one window after the other. What
    fails is tried again with the next window.
    """

    def __init__(
        self,
        *,
        tasks: TaskGroup,
        store: MemoryStore,
        models: ModelRegistry,
        policy: MemoryPolicy,
        telemetry: Telemetry,
        clock: Clock,
        ids: Ids,
    ) -> None:
        self._tasks = tasks
        self._store = store
        self._models = models
        self._policy = policy
        self._telemetry = telemetry
        self._clock = clock
        self._ids = ids
        self._notebooks: dict[PersonaId, _Notebook] = {}

    def note(self, persona: Persona, exchange: Exchange) -> None:
        """Take *exchange* down; every few of them starts a lesson. Never waits.

        Only a person's own words and the answer to them belong here: no relays among personas,
        no text of files, tools or pages.
        """
        if not self._policy.enabled:
            return
        book = self._notebook(persona)
        book.latest.append(exchange)
        book.unread += 1
        if book.unread < self._policy.update_every:
            return
        book.unread = 0
        if len(book.windows) == MAX_WINDOWS:
            self._telemetry.count("memory_windows_dropped")
        book.windows.append(_Window(tuple(book.latest)))
        if book.reading is None:
            book.reading = self._tasks.create_task(self._read(persona, book))

    async def aclose(self) -> None:
        """Break lessons off: the program ends."""
        running = [book.reading for book in self._notebooks.values() if book.reading]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _notebook(self, persona: Persona) -> _Notebook:
        fresh = _Notebook(deque(maxlen=self._policy.window))
        return self._notebooks.setdefault(persona.id, fresh)

    async def _read(self, persona: Persona, book: _Notebook) -> None:
        try:
            while book.windows:
                window = book.windows[0]
                with timed(self._telemetry, self._clock, "memory_update_seconds"):
                    await self._learn(persona, book, window)
                if book.windows and book.windows[0] is window:
                    book.windows.popleft()
        except PalabreError as error:
            self._telemetry.count("memory_failures")
            _log.warning("%s learnt nothing, and will try again: %r", persona.id, error)
        except Exception:  # noqa: BLE001 - outermost loop of a lesson: the rooms go on
            self._telemetry.count("memory_failures")
            _log.exception("lesson failed", extra={"reference": self._ids.new("error")})
        finally:
            book.reading = None

    async def _learn(self, persona: Persona, book: _Notebook, window: _Window) -> None:
        record = await self._store.record(persona.id, persona.nick)
        now = self._clock.now()
        exchanges = learnable(self._undoubted(record, book), window.exchanges, now)
        if not exchanges:
            return
        lesson = await self._lesson(persona, exchanges)
        if lesson is None:
            window.tries += 1
            if window.tries < MAX_TRIES:
                raise LessonUnreadableError(nick=persona.nick)
            self._telemetry.count("memory_windows_dropped")
            return
        taken = grounded(lesson, exchanges, self._policy)

        def learn(found: Record) -> Record:
            if found.forgotten_at != record.forgotten_at:  # somebody had something forgotten since
                return found
            return self._learnt(self._undoubted(found, book), taken, exchanges)

        await self._store.revise(persona.id, persona.nick, learn)
        self._telemetry.count("memory_updates")

    def _undoubted(self, record: Record, book: _Notebook) -> Record:
        """Return *record*, nothing of which was forgotten later than now.

        A moment in the future, of a clock that was ahead, becomes the one at which it is first
        read: what was said before may be what somebody had forgotten.
        """
        claimed, now = record.forgotten_at, self._clock.now()
        if claimed is None or claimed <= now:
            return record
        if book.doubted is None or book.doubted[0] != claimed or book.doubted[1] > now:
            book.doubted = claimed, now
        return replace(record, forgotten_at=book.doubted[1])

    def _learnt(self, record: Record, lesson: Lesson, exchanges: Sequence[Exchange]) -> Record:
        return learnt(
            record,
            lesson,
            exchanges,
            now=whole_ms(self._clock.now()),
            policy=self._policy,
            new_id=lambda: self._ids.new("fact"),
        )

    async def _lesson(self, persona: Persona, exchanges: Sequence[Exchange]) -> Lesson | None:
        resolved = await self._models.resolve(persona.model)
        request = lesson_request(resolved.info, persona.nick, exchanges, self._policy)
        answer = await self._models.answer(
            resolved, request, max_chars=MAX_ANSWER_CHARS, timeout_s=READ_TIMEOUT_S
        )
        return read_lesson(answer)
