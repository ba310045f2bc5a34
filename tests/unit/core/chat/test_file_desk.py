"""What goes wrong with a file is told to its sender; the rest is in tests/flow/conformance."""

import asyncio
import gc
from asyncio import Task
from typing import Any

import pytest

from palabre.adapters.media.signature_typer import SignatureFileTyper
from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.file_desk import MAX_HELD_BYTES, FileDesk
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.jobs import MAX_JOBS, Jobs, TooManyJobsError
from palabre.core.chat.members import Member
from palabre.core.chat.model import Event, NoticeGiven
from palabre.core.media.errors import FilesBusyError
from palabre.core.media.model import FileKind, FileType, Reading, SharedFile
from palabre.core.models.registry import ModelRegistry
from palabre.kernel.errors import StorageError, UpstreamError
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import ScriptedProvider
from palabre.testing.reading import ScriptedReader, an_analyst
from palabre.testing.sinks import RecordingSink
from palabre.testing.telemetry import RecordingTelemetry
from palabre.texts import say


class Scene:
    """A desk whose rooms and conversation note what they are told."""

    def __init__(self, tasks: asyncio.TaskGroup) -> None:
        clock, telemetry = FrozenClock(), RecordingTelemetry()
        self.store, self.reader = MemoryMessageStore(), ScriptedReader()
        self.told: list[Event] = []
        self.asked: list[str] = []
        self.is_asked = asyncio.Event()
        self.channels: list[ChannelName | None] = []
        self.turns: list[Task[None]] = []
        models = ModelRegistry(
            [ScriptedProvider(name="ollama")], default_model="parrot", clock=clock
        )
        self.desk = FileDesk(
            typer=SignatureFileTyper(),
            analyst=an_analyst(models, self.reader),
            jobs=Jobs(tasks, self.tell, CountingIds()),
            chronicle=Chronicle(self.store, RoomHub(telemetry), telemetry),
            conversation=self,  # type: ignore[arg-type]
            rooms=self,  # type: ignore[arg-type]
            clock=clock,
            in_house_words=say,
        )
        self.ana = Member(Nick("ana"), ChannelName("#here"), RecordingSink())

    def tell(self, member: Member, *events: Event) -> None:
        self.told += events

    def ask(self, member: Member, asked: str, **others: Any) -> list[Task[None]]:
        self.asked.append(asked)
        self.is_asked.set()
        self.channels.append(others["channel"])
        return self.turns

    async def post(
        self, member: Member, words: str, channel: ChannelName | None = None
    ) -> list[Task[None]]:
        self.asked.append(words)
        self.channels.append(channel)
        return []

    async def share(self, name: str = "a.txt", content: bytes = b"bonjour") -> None:
        await (await self.desk.share(self.ana, self.desk.check(self.ana, name, content)))

    @property
    def failure(self) -> str:
        (told,) = self.told
        assert isinstance(told, NoticeGiven)
        return say(told.text)


async def test_a_reader_that_fails_is_told_with_the_files_name() -> None:
    async with asyncio.TaskGroup() as tasks:
        scene = Scene(tasks)
        scene.reader.failure = UpstreamError(detail="no worker")
        await scene.share()
        assert scene.failure.startswith("a.txt : ")
        assert "no worker" in scene.failure
        assert scene.asked == []


async def test_what_cannot_be_kept_is_neither_told_nor_read() -> None:
    async with asyncio.TaskGroup() as tasks:
        scene = Scene(tasks)
        scene.store.refusal = "disk full"
        with pytest.raises(StorageError):
            await scene.share()
        assert scene.reader.files == []


async def test_a_recording_that_speaks_for_somebody_is_their_message() -> None:
    async with asyncio.TaskGroup() as tasks:
        scene = Scene(tasks)
        file = scene.desk.check(scene.ana, "voix.txt", b"x")
        await scene.desk.listen(scene.ana, file)
        assert scene.asked == ["Bonjour à tous"]
        assert scene.store.utterances == []


async def test_a_file_is_answered_where_it_was_shared_wherever_its_sender_goes() -> None:
    async with asyncio.TaskGroup() as tasks:
        scene = Scene(tasks)
        scene.reader.gate = asyncio.Event()
        file = scene.desk.check(scene.ana, "a.txt", b"secret")
        jobs = [await scene.desk.share(scene.ana, file), scene.desk.listen(scene.ana, file)]
        scene.ana.channel = ChannelName("#elsewhere")
        scene.reader.gate.set()
        await asyncio.wait(jobs)
        assert scene.channels == ["#here", "#here"]


async def test_of_files_handed_in_at_once_only_those_that_are_read_are_announced() -> None:
    """Before, all of them found room while the first was being announced."""
    async with asyncio.TaskGroup() as tasks:
        scene = Scene(tasks)
        scene.reader.gate = asyncio.Event()
        file = scene.desk.check(scene.ana, "a.txt", b"bonjour")
        calls = [scene.desk.share(scene.ana, file) for _ in range(MAX_JOBS + 3)]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert sum(isinstance(each, TooManyJobsError) for each in outcomes) == 3
        assert len(scene.store.utterances) == MAX_JOBS
        scene.reader.gate.set()


async def test_files_that_are_being_read_take_no_more_memory_than_there_is_for_them() -> None:
    async with asyncio.TaskGroup() as tasks:
        scene = Scene(tasks)
        scene.reader.gate = asyncio.Event()
        scene.reader.found = Reading("bonjour")
        content = bytes(MAX_HELD_BYTES // 4)
        file = SharedFile("a.txt", content, FileType(FileKind.TEXT, "text/plain", "txt"))
        jobs = [await scene.desk.share(scene.ana, file) for _ in range(4)]
        bob = Member(Nick("bob"), ChannelName("#here"), RecordingSink())
        with pytest.raises(FilesBusyError):
            await scene.desk.share(bob, file)
        assert len(scene.store.utterances) == 4
        scene.reader.gate.set()
        await asyncio.wait(jobs)
        await (await scene.desk.share(bob, file))


async def test_nobody_holds_a_file_while_personas_answer_it() -> None:
    async with asyncio.TaskGroup() as tasks:
        scene = Scene(tasks)
        answers = asyncio.Event()
        scene.turns = [tasks.create_task(wait_for(answers))]
        file = scene.desk.check(scene.ana, "held.txt", b"bonjour")
        job = await scene.desk.share(scene.ana, file)
        del file
        await scene.is_asked.wait()
        scene.reader.files.clear()
        await asyncio.sleep(0)
        assert not job.done()
        gc.collect()
        files = [each for each in gc.get_objects() if type(each) is SharedFile]
        assert "held.txt" not in [each.name for each in files]
        answers.set()


async def wait_for(event: asyncio.Event) -> None:
    await event.wait()
