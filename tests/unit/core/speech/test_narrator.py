import asyncio
import base64
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.support.turns import turns

from palabre.core.speech.model import Voice
from palabre.core.speech.narrator import MAX_NARRATION_CHARS, MAX_WAITING, Narration, Narrator
from palabre.testing.speech import ScriptedSpeaker
from palabre.testing.telemetry import RecordingTelemetry


class Stage:
    def __init__(self, tasks: asyncio.TaskGroup) -> None:
        self.speaker, self.telemetry = ScriptedSpeaker(), RecordingTelemetry()
        self.narrator = Narrator(self.speaker, tasks, self.telemetry)
        self.heard: list[tuple[str, int]] = []
        self.first_heard = asyncio.Event()
        self.anybody = True

    def begin(self, nick: str, line: str = "") -> Narration:
        return self.narrator.begin(line or nick, Voice("", nick), self._hear, lambda: self.anybody)

    @property
    def said(self) -> list[str]:
        return [words for words, _ in self.speaker.said]

    def _hear(self, data: str, number: int) -> None:
        assert base64.b64decode(data).startswith(b"RIFF")
        self.first_heard.set()
        self.heard.append((self.speaker.said[-1][1].speaker, number))


@asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        place = Stage(tasks)
        yield place
        await place.narrator.aclose()


async def over(*narrations: Narration) -> None:
    await asyncio.wait([each.task for each in narrations if each.task])


async def test_the_first_sentence_is_heard_before_the_answer_is_whole() -> None:
    async with stage() as place:
        narration = place.begin("Batty")
        narration.feed("Bonjour à tous. Et puis")
        await place.first_heard.wait()
        assert place.said == ["Bonjour à tous."]
        narration.finish()
        await over(narration)
        assert place.said == ["Bonjour à tous.", "Et puis"]
        assert place.heard == [("Batty", 1), ("Batty", 2)]


async def test_a_narration_ends_at_the_next_sentence_once_nobody_hears_it() -> None:
    async with stage() as place:
        gate = place.speaker.gates["Le premier parle."] = asyncio.Event()
        narration, next_in_line = place.begin("Batty"), place.begin("Batty")
        for each in (narration, next_in_line):
            each.feed("Le premier parle.\nIl finit son tour.\n")
        await asyncio.sleep(0)
        place.anybody = False
        gate.set()
        await over(narration, next_in_line)
        narration.feed("Personne ne l'entend.\n")
        assert place.said == ["Le premier parle."]
        assert narration.sentences.qsize() == 0, "nothing is kept for nobody"


async def test_two_answers_of_one_persona_never_overlap() -> None:
    async with stage() as place:
        gate = place.speaker.gates["Le premier parle."] = asyncio.Event()
        first, second = place.begin("Batty"), place.begin("Batty")
        second.feed("Le second attend.\n")
        second.finish()
        first.feed("Le premier parle.\nIl finit son tour.\n")
        first.finish()
        await turns()
        assert place.heard == []
        gate.set()
        await over(first, second)
        assert place.said == ["Le premier parle.", "Il finit son tour.", "Le second attend."]
        assert place.speaker.at_once == 1


async def test_two_personas_may_speak_at_once() -> None:
    async with stage() as place:
        gate = place.speaker.gates["Le premier parle."] = asyncio.Event()
        first, second = place.begin("Batty"), place.begin("Radigue")
        first.feed("Le premier parle.\n")
        second.feed("La seconde aussi.\n")
        second.finish()
        await over(second)
        assert place.said == ["La seconde aussi."]
        gate.set()
        first.finish()


async def test_a_failure_ends_the_sound_and_nothing_else() -> None:
    async with stage() as place:
        place.speaker.failing.add("Cette phrase échoue.")
        broken, next_one = place.begin("Batty"), place.begin("Batty")
        broken.feed("Cette phrase échoue.\nCelle-ci ne vient pas.\n")
        broken.finish()
        next_one.feed("La suivante est dite.\n")
        next_one.finish()
        await over(broken, next_one)
        assert place.said == ["La suivante est dite."]
        assert place.telemetry.counts["speech_failures", ""] == 1


async def test_what_was_cancelled_is_not_heard_and_lets_the_next_one_speak() -> None:
    async with stage() as place:
        place.speaker.gates["Rien de ceci."] = asyncio.Event()
        cancelled, next_one = place.begin("Batty"), place.begin("Batty")
        cancelled.feed("Rien de ceci.\n")
        next_one.feed("La suivante est dite.\n")
        next_one.finish()
        await turns()
        cancelled.cancel()
        await over(cancelled, next_one)
        assert place.said == ["La suivante est dite."]
        assert not cancelled.is_going_on


async def test_an_endless_answer_is_not_said_for_ever() -> None:
    async with stage() as place:
        narration = place.begin("Batty")
        for _ in range(1000):
            narration.feed("Une phrase de plus, encore une.\n")
        narration.finish()
        await over(narration)
        assert MAX_NARRATION_CHARS <= sum(map(len, place.said)) < MAX_NARRATION_CHARS + 100


@pytest.mark.parametrize("unit", ["[", "M. ", "Non. ", "a.b", "\n", "*A. b ", "```x\n", ". "])
async def test_an_answer_that_comes_in_one_piece_holds_nobody_up(unit: str) -> None:
    """Before, 200 000 brackets took minutes, and as many short sentences twelve seconds."""
    async with stage() as place:
        narration = place.begin("Batty")
        started_s = time.process_time()
        narration.feed(unit * (200_000 // len(unit)))
        assert time.process_time() - started_s < 0.4
        narration.cancel()


async def test_an_abbreviation_for_ever_costs_no_more_the_longer_it_gets() -> None:
    async with stage() as place:
        narration = place.begin("Batty")
        started_s = time.process_time()
        for _ in range(5000):
            narration.feed("M. ")
        assert time.process_time() - started_s < 2
        narration.cancel()


async def test_a_persona_that_writes_faster_than_it_speaks_is_not_heard_an_hour_later() -> None:
    async with stage() as place:
        gate = place.speaker.gates["La première."] = asyncio.Event()
        narrations = [place.begin("Batty") for _ in range(MAX_WAITING + 3)]
        for narration in narrations:
            narration.feed("La première.\n")
            narration.finish()
        gate.set()
        await over(*narrations)
        assert len(place.said) == MAX_WAITING + 1
        later = place.begin("Batty")
        later.feed("Et la suite.\n")
        later.finish()
        await over(later)
        assert place.said[-1] == "Et la suite."


async def test_closing_ends_what_waits_for_words() -> None:
    async with stage() as place:
        narration = place.begin("Batty")
        await asyncio.sleep(0)
        await place.narrator.aclose()
        assert not narration.is_going_on
