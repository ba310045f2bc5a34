"""Take the files that people share: tell the room, read them, let personas answer."""

import asyncio
import logging
from asyncio import Task
from collections.abc import Awaitable, Callable
from typing import Protocol

from palabre.core.chat.asking import Asker
from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.jobs import Jobs
from palabre.core.chat.members import Member
from palabre.core.chat.model import Event, NoticeGiven, Utterance
from palabre.core.chat.prompt import as_data
from palabre.core.chat.shared_files import checked, put_before_personas, size_kb
from palabre.core.media.analyst import FileAnalyst
from palabre.core.media.model import SharedFile
from palabre.core.media.ports import FileTyper
from palabre.kernel.clock import Clock, whole_ms
from palabre.kernel.errors import PalabreError
from palabre.kernel.ids import Ids
from palabre.kernel.text import Text, text

MAX_ABOUT_CHARS = 500
"""Of what is in a file that documents are searched for."""

MAX_SPOKEN_CHARS = 8192
"""Of a recording that is said in the room: as much as of a written message (seed 000 §5.6)."""

_log = logging.getLogger(__name__)


class Room(Protocol):
    """Where a file is shared."""

    async def post(self, member: Member, words: str) -> list[Task[None]]:
        """Say *words* as *member*; return the turns that this starts."""
        ...

    def tell(self, member: Member, *events: Event) -> None:
        """Tell *member* alone."""
        ...


class FileDesk:
    """Where files are handed in."""

    def __init__(
        self,
        *,
        typer: FileTyper,
        analyst: FileAnalyst,
        jobs: Jobs,
        chronicle: Chronicle,
        asker: Asker,
        room: Room,
        clock: Clock,
        ids: Ids,
        in_house_words: Callable[[Text], str],
    ) -> None:
        self._typer = typer
        self._analyst = analyst
        self._jobs = jobs
        self._chronicle = chronicle
        self._asker = asker
        self._room = room
        self._clock = clock
        self._ids = ids
        self._in_house_words = in_house_words

    def check(self, member: Member, name: str, content: bytes) -> SharedFile:
        """Return the file that *member* sends as *name*, if it is taken.

        Raises:
            UserError: As `shared_files.checked`.
        """
        now_s = self._clock.monotonic()
        return checked(name, content, window=member.uploads, now_s=now_s, typer=self._typer)

    async def share(self, member: Member, file: SharedFile) -> Task[None]:
        """Tell the room of *file*; the task ends when personas have answered.

        Raises:
            TooManyJobsError: Too many files of this member are being read.
            StorageError: It could not be kept that it was sent.
        """
        self._jobs.require_room(member)
        size = size_kb(len(file.content))
        notice = text("upload.shared", nick=member.nick, name=file.name, size=size)
        now, words = whole_ms(self._clock.now()), self._in_house_words(notice)
        kept = Utterance(now, member.channel, member.nick, words, kind="system")
        await self._chronicle.say(kept, NoticeGiven(notice))
        return self._jobs.start(member, self._told(member, file, self._put_before_personas))

    def listen(self, member: Member, file: SharedFile) -> Task[None]:
        """Let what is said in the recording *file* be what *member* says.

        Raises:
            TooManyJobsError: Too many files of this member are being read.
        """
        return self._jobs.start(member, self._told(member, file, self._speak_for))

    async def _told(self, member: Member, file: SharedFile, read: "Reader") -> None:
        """Read *file*; what goes wrong is told to *member*."""
        try:
            await read(member, file)
        except PalabreError as error:
            failed = text("upload.failed", name=file.name, reason=error.text)
            self._room.tell(member, NoticeGiven(failed))
        except Exception:  # noqa: BLE001  outermost loop of a job: the rooms go on
            reference = self._ids.new("error")
            _log.exception("file failed", extra={"reference": reference})
            self._room.tell(member, NoticeGiven(text("room.fault", reference=reference)))

    async def _put_before_personas(self, member: Member, file: SharedFile) -> None:
        analysis = await self._analyst.analyse(file)
        parts = (analysis.heading, as_data(analysis.content))
        turns = self._asker.ask(
            member,
            put_before_personas(member.nick, file.name, parts),
            whom=analysis.spoken or analysis.heading,
            about=analysis.content[:MAX_ABOUT_CHARS],
        )
        await _all(turns)

    async def _speak_for(self, member: Member, file: SharedFile) -> None:
        heard = await self._analyst.transcribe(file)
        await _all(await self._room.post(member, heard[:MAX_SPOKEN_CHARS]))


Reader = Callable[[Member, SharedFile], Awaitable[None]]


async def _all(turns: list[Task[None]]) -> None:
    if turns:
        await asyncio.wait(turns)
