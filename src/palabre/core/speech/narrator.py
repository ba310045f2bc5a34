"""Say answers aloud while they are being written: in order, one at a time for each persona."""

import asyncio
import base64
import logging
from asyncio import Task, TaskGroup
from collections import Counter
from collections.abc import Callable, Hashable
from contextlib import suppress

from palabre.core.speech.errors import NothingToSayError
from palabre.core.speech.model import Voice
from palabre.core.speech.ports import Speaker
from palabre.core.speech.segmenter import SentenceSegmenter
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.errors import UpstreamError

MAX_NARRATION_CHARS = 6000
"""Of one answer that is said aloud: some six minutes."""

MAX_READ_CHARS = 24_000
"""Of one answer that are looked through for what can be said: emoji and code never are."""

PIECE_CHARS = 500
"""Of an answer that are looked through at once: that takes longer than its length."""

MAX_WAITING = 4
"""Answers of one line that wait to be said; who writes faster than that is read only."""

Tell = Callable[[str, int], None]
"""Gets each sentence: a WAV in base64, and its place from 1."""

IsHeard = Callable[[], bool]
"""Says whether anybody is there to hear it."""

_log = logging.getLogger(__name__)


class Narration:
    """One answer on its way to being heard. Never waits, never fails."""

    def __init__(self, voice: Voice, tell: Tell, is_heard: IsHeard) -> None:
        self.voice = voice
        self.tell = tell
        self._is_heard = is_heard
        self.sentences: asyncio.Queue[str | None] = asyncio.Queue()
        self._segmenter = SentenceSegmenter()
        self._left_chars = MAX_NARRATION_CHARS
        self._unread_chars = MAX_READ_CHARS
        self.task: Task[None] | None = None

    def feed(self, shown: str) -> None:
        """The answer grew by *shown*, which may be all of it at once."""
        read = shown[: self._unread_chars]
        self._unread_chars -= len(read)
        for start in range(0, len(read), PIECE_CHARS):
            if self._left_chars <= 0:
                return
            self._queue(self._segmenter.feed(read[start : start + PIECE_CHARS]))

    def finish(self) -> None:
        """The answer is whole."""
        if self._left_chars > 0:
            self._queue(self._segmenter.finish())
        self.sentences.put_nowait(None)

    @property
    def is_going_on(self) -> bool:
        """Say whether there may be more to hear."""
        return self.task is not None and not self.task.done()

    def skip(self) -> None:
        """Say nothing of it, or nothing more."""
        self._left_chars = 0
        while not self.sentences.empty():
            self.sentences.get_nowait()

    async def next_sentence(self) -> str | None:
        """Wait for the next sentence; None when there is none, or nobody to hear it."""
        sentence = await self.sentences.get()
        if sentence is not None and not self._is_heard():
            self.skip()
            return None
        return sentence

    def cancel(self) -> None:
        """Say no more."""
        if self.task is not None:
            self.task.cancel()

    def _queue(self, sentences: list[str]) -> None:
        for sentence in sentences:
            if self._left_chars <= 0:
                return
            self._left_chars -= len(sentence)
            self.sentences.put_nowait(sentence)


class Narrator:
    """Lets a speaker say answers. Whatever goes wrong with sound, the text goes on."""

    def __init__(self, speaker: Speaker, tasks: TaskGroup, telemetry: Telemetry) -> None:
        self._speaker = speaker
        self._tasks = tasks
        self._telemetry = telemetry
        self._lines: dict[Hashable, Task[None]] = {}
        self._unsaid: Counter[Hashable] = Counter()
        self._running: set[Task[None]] = set()

    def begin(self, line: Hashable, voice: Voice, tell: Tell, is_heard: IsHeard) -> Narration:
        """Begin to say an answer; those of one *line* follow each other and never overlap.

        Nothing is heard of it where `MAX_WAITING` wait already; it ends once *is_heard* says no.
        """
        narration = Narration(voice, tell, is_heard)
        if self._unsaid[line] > MAX_WAITING:
            self._telemetry.count("speech_failures")
            narration.skip()
            return narration
        self._unsaid[line] += 1
        task = self._tasks.create_task(self._narrate(narration, self._lines.get(line)))
        self._lines[line] = narration.task = task
        self._running.add(task)
        task.add_done_callback(lambda done: self._forget(line, done))
        return narration

    async def aclose(self) -> None:
        """Say no more of anything: the program ends."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _narrate(self, narration: Narration, before: Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        try:
            number = 0
            while (sentence := await narration.next_sentence()) is not None:
                with suppress(NothingToSayError):
                    wav = await self._speaker.speak(sentence, narration.voice)
                    number += 1
                    self._telemetry.count("sentences_spoken")
                    narration.tell(base64.b64encode(wav).decode("ascii"), number)
        except UpstreamError as error:
            self._failed(error.code, str(error.data))
        except Exception as error:  # noqa: BLE001  outermost loop of a narration: the text goes on
            self._failed(type(error).__name__, "")
            _log.exception("narration failed")

    def _failed(self, code: str, detail: str) -> None:
        self._telemetry.count("speech_failures")
        _log.warning("an answer is not spoken to its end: %s %s", code, detail)

    def _forget(self, line: Hashable, done: Task[None]) -> None:
        self._running.discard(done)
        self._unsaid[line] -= 1
        if self._lines.get(line) is done:
            del self._lines[line], self._unsaid[line]
