"""Pictures and music: how they are shown and kept."""

import pytest

from palabre.core.chat.model import Event, ImageShown, MusicPlayed, NoticeGiven
from palabre.core.chat.studio import (
    MAX_PROMPT_CHARS,
    MediaPorts,
    Studio,
    cut_prompt,
)
from palabre.core.media.errors import (
    MediaFullError,
    NoComposerError,
    NoImageGeneratorError,
)
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.media import MemoryMediaStore, ScriptedComposer, ScriptedImageGenerator
from palabre.texts import say

HERE, ANA = ChannelName("#here"), Nick("ana")


class Place:
    """A studio, and what was told."""

    def __init__(self, *, max_bytes: int = 1 << 20) -> None:
        self.clock = FrozenClock()
        self.images, self.composer = ScriptedImageGenerator(), ScriptedComposer()
        self.store = MemoryMediaStore(max_bytes=max_bytes)
        self.published: list[tuple[ChannelName, Event]] = []
        self.studio = Studio(
            MediaPorts(self.images, self.composer, self.store),
            publish=lambda channel, event: self.published.append((channel, event)),
            clock=self.clock,
            ids=CountingIds(),
        )


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
