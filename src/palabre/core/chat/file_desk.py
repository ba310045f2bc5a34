"""Take the files that people share: tell the room, read them, let personas answer."""

import asyncio
from asyncio import Task
from collections.abc import Callable, Coroutine

from palabre.core.auth.model import Permission
from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.conversation import Conversation
from palabre.core.chat.jobs import Jobs
from palabre.core.chat.members import Member
from palabre.core.chat.model import NoticeGiven, Utterance
from palabre.core.chat.rooms import Rooms
from palabre.core.chat.shared_files import checked, put_before_personas, size_kb
from palabre.core.media.analyst import FileAnalyst
from palabre.core.media.errors import FilesBusyError
from palabre.core.media.model import SharedFile
from palabre.core.media.ports import FileTyper
from palabre.core.models.quotation import as_data
from palabre.kernel.clock import Clock, whole_ms
from palabre.kernel.errors import PalabreError
from palabre.kernel.ids import ChannelName
from palabre.kernel.text import Text, text

MAX_ABOUT_CHARS = 500
"""Of what is in a file that documents are searched for."""

MAX_HELD_BYTES = 256 * 1024 * 1024
"""Of files that are being read, over all clients; more are refused."""

MAX_SPOKEN_CHARS = 8192
"""Of a recording that is said in the room: as much as of a written message (seed 000 §5.6)."""


Read = Callable[[SharedFile, Member, ChannelName], Coroutine[None, None, list[Task[None]]]]
"""Reads a file that somebody shared in a channel; returns the turns that this starts."""


class FileDesk:
    """Where files are handed in."""

    def __init__(
        self,
        *,
        typer: FileTyper,
        analyst: FileAnalyst,
        jobs: Jobs,
        chronicle: Chronicle,
        conversation: Conversation,
        rooms: Rooms,
        clock: Clock,
        in_house_words: Callable[[Text], str],
    ) -> None:
        self._typer = typer
        self._analyst = analyst
        self._jobs = jobs
        self._chronicle = chronicle
        self._conversation = conversation
        self._rooms = rooms
        self._clock = clock
        self._in_house_words = in_house_words
        self._held_bytes: dict[Task[None], int] = {}

    def check(self, member: Member, name: str, content: bytes) -> SharedFile:
        """Return the file that *member* sends as *name*, if it is taken.

        Raises:
            ReadOnlyError: *member* may only read.
            UserError: As `shared_files.checked`.
        """
        member.demand(Permission.CHAT_WRITE)
        now_s = self._clock.monotonic()
        return checked(name, content, window=member.uploads, now_s=now_s, typer=self._typer)

    async def share(self, member: Member, file: SharedFile) -> Task[None]:
        """Tell the room of *file*; the task ends when personas have answered.

        Raises:
            TooManyJobsError: Too many files of this member are being read.
            FilesBusyError: Too many files of everybody are.
            StorageError: It could not be kept that it was sent.
        """
        announced = asyncio.Event()
        job = self._start(member, file, self._put_before_personas, announced)
        try:
            await self._announce(member, file)
        except BaseException:
            job.cancel()
            raise
        announced.set()
        return job

    async def _announce(self, member: Member, file: SharedFile) -> None:
        size = size_kb(len(file.content))
        notice = text("upload.shared", nick=member.nick, name=file.name, size=size)
        now, words = whole_ms(self._clock.now()), self._in_house_words(notice)
        kept = Utterance(now, member.channel, member.nick, words, kind="system")
        await self._chronicle.say(kept, NoticeGiven(notice))

    def listen(self, member: Member, file: SharedFile) -> Task[None]:
        """Let what is said in the recording *file* be what *member* says.

        Raises:
            TooManyJobsError: Too many files of this member are being read.
            FilesBusyError: Too many files of everybody are.
        """
        announced = asyncio.Event()
        announced.set()
        return self._start(member, file, self._speak_for, announced)

    def _start(
        self, member: Member, file: SharedFile, read: Read, announced: asyncio.Event
    ) -> Task[None]:
        """Let *file* be read as soon as it is *announced*: only what is taken is."""
        held, size_bytes = self._held_bytes, len(file.content)
        if sum(held.values()) + size_bytes > MAX_HELD_BYTES:
            raise FilesBusyError(waiting=len(held))
        told = self._told(member, member.channel, file, read, announced)
        job = self._jobs.start(member, told)
        held[job] = size_bytes
        job.add_done_callback(lambda done: held.pop(done, None))
        return job

    async def _told(
        self,
        member: Member,
        channel: ChannelName,
        file: SharedFile,
        read: Read,
        announced: asyncio.Event,
    ) -> None:
        """Have *file* read, then wait for the answers; what goes wrong is told to *member*."""
        name = file.name
        try:
            await announced.wait()
            reading = read(file, member, channel)
            del file  # it is large, and nobody needs it any more while personas answer
            turns = await reading
            del reading
            self._let_go()
            await _all(turns)
        except PalabreError as error:
            failed = text("upload.failed", name=name, reason=error.text)
            self._rooms.tell(member, NoticeGiven(failed))

    def _let_go(self) -> None:
        if job := asyncio.current_task():
            self._held_bytes.pop(job, None)

    async def _put_before_personas(
        self, file: SharedFile, member: Member, channel: ChannelName
    ) -> list[Task[None]]:
        analysis = await self._analyst.analyse(file)
        parts = (analysis.heading, as_data(analysis.content))
        return self._conversation.ask(
            member,
            put_before_personas(member.nick, file.name, parts),
            whom=analysis.spoken or analysis.heading,
            channel=channel,
            about=analysis.content[:MAX_ABOUT_CHARS],
            plainly=analysis.spoken,
        )

    async def _speak_for(
        self, file: SharedFile, member: Member, channel: ChannelName
    ) -> list[Task[None]]:
        heard = await self._analyst.transcribe(file)
        return await self._conversation.post(member, heard[:MAX_SPOKEN_CHARS], channel)


async def _all(turns: list[Task[None]]) -> None:
    if turns:
        await asyncio.wait(turns)
