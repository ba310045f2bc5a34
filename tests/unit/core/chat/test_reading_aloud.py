"""Answers are heard by whoever listens, until they end or somebody wants silence."""

import asyncio
import gc
from asyncio import TaskGroup
from weakref import ReferenceType, ref

from palabre.core.chat.hub import RoomHub
from palabre.core.chat.members import Member
from palabre.core.chat.model import SentenceSpoken
from palabre.core.chat.ongoing_reply import Reply
from palabre.core.chat.reading_aloud import ReadingAloud
from palabre.core.chat.turns import Turn
from palabre.core.speech.narrator import Narrator
from palabre.kernel.ids import ChannelName, Nick, ReplyId
from palabre.testing.personas import a_persona
from palabre.testing.sinks import RecordingSink
from palabre.testing.speech import ScriptedSpeaker
from palabre.testing.telemetry import RecordingTelemetry

HERE, WORDS = ChannelName("#here"), "Bonjour à tous."


class Scene:
    """A channel that *listeners* hear, and a voice."""

    def __init__(self, tasks: TaskGroup, *listeners: RecordingSink) -> None:
        telemetry, self.speaker = RecordingTelemetry(), ScriptedSpeaker()
        self.hub = RoomHub(telemetry)
        for sink in listeners:
            self.hub.listen(HERE, sink)
        self.aloud = ReadingAloud(self.hub, Narrator(self.speaker, tasks, telemetry))

    def reply_to(self, member: Member) -> Reply:
        return Reply(Turn(a_persona("Batty"), HERE, member, "a"), ReplyId("r"))

    def whole(self, member: Member) -> Reply:
        reply = self.reply_to(member)
        self.aloud.grow(reply, WORDS)
        self.aloud.finish(reply)
        return reply


def somebody(nick: str) -> Member:
    return Member(Nick(nick), HERE, RecordingSink())


async def heard(reply: Reply) -> None:
    assert reply.narration is not None
    assert reply.narration.task is not None
    await asyncio.wait([reply.narration.task])
    await asyncio.sleep(0)


async def test_a_sentence_is_heard_in_its_channel_as_that_of_its_reply() -> None:
    sink = RecordingSink()
    async with TaskGroup() as tasks:
        await heard(Scene(tasks, sink).whole(somebody("ana")))
    (spoken,) = sink.events
    assert isinstance(spoken, SentenceSpoken)
    assert (spoken.author, spoken.reply_id, spoken.number) == ("Batty", "r", 1)


async def test_nothing_is_said_where_nobody_listens() -> None:
    async with TaskGroup() as tasks:
        scene = Scene(tasks)
        assert scene.whole(somebody("ana")).narration is None
        assert scene.speaker.said == []


async def test_nothing_more_is_said_once_everybody_left() -> None:
    """Before, synthesis went on for minutes."""
    sink = RecordingSink()
    async with TaskGroup() as tasks:
        scene = Scene(tasks, sink)
        gate = scene.speaker.gates[WORDS] = asyncio.Event()
        first, second = scene.reply_to(somebody("ana")), scene.whole(somebody("bob"))
        scene.aloud.grow(first, f"{WORDS} Et puis ceci. ")
        await asyncio.sleep(0)
        scene.hub.leave(HERE, sink)
        gate.set()
        await heard(second)
        await heard(first)
        scene.aloud.grow(first, "Et cela. ")
        scene.aloud.finish(first)
        assert not first.is_heard
    assert [words for words, _ in scene.speaker.said] == [WORDS]


async def test_silence_is_for_whom_the_answers_were_and_for_nobody_else() -> None:
    async with TaskGroup() as tasks:
        scene, ana, bob = Scene(tasks, RecordingSink()), somebody("ana"), somebody("bob")
        scene.speaker.gates[WORDS] = asyncio.Event()
        mine, theirs = scene.whole(ana), scene.whole(bob)
        assert scene.aloud.hush(ana) == [mine]
        assert scene.aloud.hush(ana) == []
        scene.speaker.gates[WORDS].set()
        await heard(theirs)
        assert scene.aloud.hush(bob) == [], "it was heard to its end"


async def test_an_answer_that_was_heard_to_its_end_is_forgotten() -> None:
    """Before, each answer said aloud was kept until somebody used /stop."""
    async with TaskGroup() as tasks:
        scene, replies = Scene(tasks, RecordingSink()), list[ReferenceType[Reply]]()
        for _ in range(3):
            reply = scene.whole(somebody("ana"))
            await heard(reply)
            replies.append(ref(reply))
            del reply
        gc.collect()
        assert [each() for each in replies[:-1]] == [None, None]
