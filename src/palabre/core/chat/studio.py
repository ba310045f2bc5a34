"""Make pictures and music for a channel, show them there, and keep them (seed 000 §13.2)."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from palabre.core.chat.model import Event, ImageShown, MusicPlayed, NoticeGiven
from palabre.core.media.base64_text import to_base64
from palabre.core.media.errors import MediaFullError, NoComposerError, NoImageGeneratorError
from palabre.core.media.model import MediaItem, MediaKind
from palabre.core.media.ports import Composer, ImageGenerator, MediaStore, Progress
from palabre.kernel.clock import Clock, whole_ms
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName, Ids, Nick
from palabre.kernel.text import Text, text, verbatim

MAX_PROMPT_CHARS = 500
"""Of a wish; the rest is cut off (facts of seed 000, argument rule of tools)."""

EXTENSIONS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "audio/wav": "wav",
}

Publish = Callable[[ChannelName, Event], object]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Order:
    """What is to be made.

    Attributes:
        prompt: At most `MAX_PROMPT_CHARS`.
        nick: Who wished for it.
        channel: Where it is shown.
    """

    prompt: str
    nick: Nick
    channel: ChannelName


@dataclass(frozen=True, slots=True)
class MediaPorts:
    """What a studio stands on.

    Attributes:
        images: None where nobody makes pictures.
        composer: None where nobody makes music.
        store: Where both are kept.
    """

    images: ImageGenerator | None
    composer: Composer | None
    store: MediaStore


class Studio:
    """Makes pictures and music.

    Args:
        media: Who makes and keeps them.
        publish: Tells a channel.
        clock: For dates and durations.
        ids: For names of what is kept.
    """

    def __init__(
        self,
        media: MediaPorts,
        *,
        publish: Publish,
        clock: Clock,
        ids: Ids,
    ) -> None:
        self._images = media.images
        self._composer = media.composer
        self._store = media.store
        self._publish = publish
        self._clock = clock
        self._ids = ids

    @property
    def makes_pictures(self) -> bool:
        """Whether somebody is there for it."""
        return self._images is not None

    @property
    def makes_music(self) -> bool:
        """Whether somebody is there for it."""
        return self._composer is not None

    async def show_picture(
        self, prompt: str, nick: Nick, channel: ChannelName, progress: Progress | None = None
    ) -> None:
        """Make a picture, show it in *channel* and keep it.

        Raises:
            UpstreamError: It could not be made.
        """
        if self._images is None:
            raise NoImageGeneratorError
        order = _Order(prompt[:MAX_PROMPT_CHARS], nick, channel)
        made = await self._images.generate(order.prompt, progress)
        caption = text("imagine.done", prompt=order.prompt, seed=made.seed)
        data = await to_base64(made.content)
        self._publish(channel, ImageShown(nick, caption, data, made.mime))
        await self._keep(order, "image", made.mime, made.content)

    async def play_music(
        self, prompt: str, duration_s: int, nick: Nick, channel: ChannelName
    ) -> None:
        """Make *duration_s* seconds of music, play them in *channel* and keep them.

        Raises:
            SilentServerError: It took too long.
            UpstreamError: They could not be made.
        """
        if self._composer is None:
            raise NoComposerError
        order, started_s = _Order(prompt[:MAX_PROMPT_CHARS], nick, channel), self._clock.monotonic()
        made = await self._composer.compose(order.prompt, duration_s)
        elapsed_s = round(self._clock.monotonic() - started_s)
        caption = text("compose.done", prompt=order.prompt, elapsed_s=elapsed_s)
        data = await to_base64(made.content)
        self._publish(channel, MusicPlayed(nick, caption, data, made.mime))
        await self._keep(order, "audio", made.mime, made.content)

    async def _keep(self, order: _Order, kind: MediaKind, mime: str, content: bytes) -> None:
        """Keep what was shown; the channel is told if that is not possible."""
        item_id = self._new_id()
        item = MediaItem(
            id=item_id,
            kind=kind,
            prompt=order.prompt,
            nick=order.nick,
            channel=order.channel,
            created_at=whole_ms(self._clock.now()),
            mime=mime,
            file_name=f"{item_id}.{EXTENSIONS[mime]}",
        )
        try:
            await self._store.save(item, content)
        except StorageError as error:
            _log.warning("%s not kept: %s %s", kind, error.code, error.data)
            notice = text("generation.not_kept", reason=_why_not_kept(error))
            self._publish(order.channel, NoticeGiven(notice))

    def _new_id(self) -> str:
        """Return `<ms>-<8 hex>`; the digits of chance are those at the end of any identifier."""
        now_ms = round(self._clock.now().timestamp() * 1000)
        return f"{now_ms}-{self._ids.new('media').rpartition('_')[2]}"


def cut_prompt(prompt: str) -> tuple[str, Text | None]:
    """Return what is taken of *prompt*, and what to say if that is not all."""
    if len(prompt) <= MAX_PROMPT_CHARS:
        return prompt, None
    return prompt[:MAX_PROMPT_CHARS], text("generation.cut", most=MAX_PROMPT_CHARS)


def _why_not_kept(error: StorageError) -> Text:
    if isinstance(error, MediaFullError) or "detail" not in error.data:
        return error.text
    return verbatim(str(error.data["detail"]))
