"""Pictures and music: what is told while they are made, and that it ends."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from palabre.core.chat.generation import (
    MAX_PROMPT_CHARS,
    MediaPorts,
    Studio,
    WaitingLine,
    cut_prompt,
    ticking,
)
from palabre.core.chat.model import Event, ImageShown, MusicPlayed, NoticeGiven
from palabre.core.media.errors import (
    MediaFullError,
    NoComposerError,
    NoImageGeneratorError,
)
from palabre.kernel.errors import UpstreamError
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.text import Text, text
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.media import MemoryMediaStore, ScriptedComposer, ScriptedImageGenerator
from palabre.texts import say

HERE, ANA = ChannelName("#here"), Nick("ana")
TICK_S = 0.01


class Place:
    """A studio, and what was told."""

    def __init__(self, *, max_bytes: int = 1 << 20) -> None:
        self.clock = FrozenClock()
        self.images, self.composer = ScriptedImageGenerator(), ScriptedComposer()
        self.store = MemoryMediaStore(max_bytes=max_bytes)
        self.published: list[tuple[ChannelName, Event]] = []
        self.told: list[Event] = []
        self.line = WaitingLine("imagine.waiting", self.clock)
        self.studio = Studio(
            MediaPorts(self.images, self.composer, self.store),
            publish=lambda channel, event: self.published.append((channel, event)),
            clock=self.clock,
            ids=CountingIds(),
            tick_s=TICK_S,
        )

    def draw(self) -> Awaitable[None]:
        return self.studio.show_picture("ville", ANA, HERE, self.line.note)

    async def attended(self, work: Callable[[], Awaitable[None]] | None = None) -> None:
        await self.studio.attend(work or self.draw, self.line, self.told.append, failure)

    @property
    def words(self) -> list[str]:
        return [say(each.text, "fr") for each in self.told if isinstance(each, NoticeGiven)]


def failure(error: UpstreamError) -> Text:
    return text("imagine.failed", reason=error.text)


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(2):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.001)


async def test_who_waits_is_told_how_long_and_how_much_is_done() -> None:
    place = Place()
    place.images.gate.clear()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(place.attended())
        place.clock.advance(5)
        await until(lambda: place.told)
        place.line.note(40)
        place.clock.advance(5)
        await until(lambda: "[imagine] Generation en cours... 10s (40 %)" in place.words)
        place.images.gate.set()
    assert place.words[0] == "[imagine] Generation en cours... 5s"


@pytest.mark.parametrize("error", [None, UpstreamError(detail="x"), ValueError("bug")])
async def test_the_ticker_stops_however_the_work_ends(error: Exception | None) -> None:
    place = Place()
    place.images.gate.clear()
    place.images.error = error
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(place.attended())
        await until(lambda: place.told)
        place.images.gate.set()
    told = len(place.told)
    await asyncio.sleep(TICK_S * 5)
    assert len(place.told) == told
    assert bool(error) == ("Erreur" in place.words[-1] or "error_" in place.words[-1])


async def test_the_ticker_stops_when_the_work_is_cancelled() -> None:
    place = Place()
    place.images.gate.clear()
    async with asyncio.TaskGroup() as tasks:
        work = tasks.create_task(place.attended())
        await until(lambda: place.told)
        work.cancel()
    told = len(place.told)
    await asyncio.sleep(TICK_S * 5)
    assert (len(place.told), place.images.cancelled) == (told, 1)
    assert place.published == []


async def test_a_tick_that_fails_does_not_end_the_work() -> None:
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1

    with ticking(tick, TICK_S):
        await until(lambda: ticks >= 3)


async def test_what_is_shown_is_kept_under_a_name_of_milliseconds_and_chance() -> None:
    place = Place()
    await place.studio.show_picture("ville", ANA, HERE)
    await place.studio.play_music("drone", 30, ANA, HERE)
    kinds = [(channel, type(event)) for channel, event in place.published]
    assert kinds == [(HERE, ImageShown), (HERE, MusicPlayed)]
    picture, music = (await place.store.latest("image"))[0], (await place.store.latest("audio"))[0]
    assert (picture.id, picture.file_name) == ("1774000800000-00000001", f"{picture.id}.png")
    assert (music.prompt, music.file_name) == ("drone", f"{music.id}.wav")


async def test_a_full_store_is_told_to_the_channel_behind_the_picture() -> None:
    place = Place(max_bytes=10)
    await place.studio.show_picture("ville", ANA, HERE)
    shown, told = (event for _, event in place.published)
    assert isinstance(shown, ImageShown)
    assert isinstance(told, NoticeGiven)
    assert "media.max_mb" in say(told.text, "fr")
    assert say(MediaFullError(limit_mb=0).text, "fr") in say(told.text, "fr")


async def test_without_anybody_to_make_them_nothing_is_made() -> None:
    place = Place()
    empty = MediaPorts(None, None, place.store)
    studio = Studio(empty, publish=print, clock=place.clock, ids=CountingIds())
    assert not (studio.makes_pictures or studio.makes_music)
    with pytest.raises(NoImageGeneratorError):
        await studio.show_picture("ville", ANA, HERE)
    with pytest.raises(NoComposerError):
        await studio.play_music("drone", 30, ANA, HERE)


def test_a_wish_is_cut_only_where_it_is_too_long() -> None:
    assert cut_prompt("x" * MAX_PROMPT_CHARS) == ("x" * MAX_PROMPT_CHARS, None)
    prompt, notice = cut_prompt("x" * (MAX_PROMPT_CHARS + 1))
    assert len(prompt) == MAX_PROMPT_CHARS
    assert notice is not None
