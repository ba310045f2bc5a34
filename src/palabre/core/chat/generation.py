"""Make pictures and music for a channel, show them there, and keep them (seed 000 §13.2)."""

import asyncio
import logging
from asyncio import TimerHandle
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from palabre.core.chat.model import Event, ImageShown, MusicPlayed, NoticeGiven
from palabre.core.media.base64_text import to_base64
from palabre.core.media.errors import MediaFullError, NoComposerError, NoImageGeneratorError
from palabre.core.media.model import MediaItem, MediaKind
from palabre.core.media.ports import Composer, ImageGenerator, MediaStore, Progress
from palabre.kernel.clock import Clock, whole_ms
from palabre.kernel.errors import StorageError, UpstreamError
from palabre.kernel.ids import ChannelName, Ids, Nick
from palabre.kernel.text import Text, text, verbatim

MAX_PROMPT_CHARS = 500
"""Of a wish; the rest is cut off (facts of seed 000, argument rule of tools)."""

TICK_S = 5.0
"""How often the one who waits is told so (seed 000 §13.2)."""

EXTENSIONS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "audio/wav": "wav",
}

Publish = Callable[[ChannelName, Event], object]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Order:
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
        tick_s: How often the one who waits is told so.
    """

    def __init__(
        self,
        media: MediaPorts,
        *,
        publish: Publish,
        clock: Clock,
        ids: Ids,
        tick_s: float = TICK_S,
    ) -> None:
        self._images = media.images
        self._composer = media.composer
        self._store = media.store
        self._publish = publish
        self._clock = clock
        self._ids = ids
        self._tick_s = tick_s

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
        order = Order(prompt[:MAX_PROMPT_CHARS], nick, channel)
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
        order, started_s = Order(prompt[:MAX_PROMPT_CHARS], nick, channel), self._clock.monotonic()
        made = await self._composer.compose(order.prompt, duration_s)
        elapsed_s = round(self._clock.monotonic() - started_s)
        caption = text("compose.done", prompt=order.prompt, elapsed_s=elapsed_s)
        data = await to_base64(made.content)
        self._publish(channel, MusicPlayed(nick, caption, data, made.mime))
        await self._keep(order, "audio", made.mime, made.content)

    async def attend(
        self,
        work: Callable[[], Awaitable[None]],
        line: "WaitingLine",
        tell: Callable[[Event], None],
        failure: Callable[[UpstreamError], Text],
    ) -> None:
        """Do *work*, and let the one who waits for it know how it goes.

        Args:
            work: Calls `show_picture` or `play_music`.
            line: What is told every few seconds.
            tell: Tells the one who waits, if anybody does.
            failure: What is told when it fails.
        """
        with ticking(lambda: tell(line.now()), self._tick_s):
            try:
                await work()
            except UpstreamError as error:
                tell(NoticeGiven(failure(error)))
            except Exception:  # noqa: BLE001  outermost loop of a job: the rooms go on
                reference = self._ids.new("error")
                _log.exception("generation failed", extra={"reference": reference})
                tell(NoticeGiven(text("room.fault", reference=reference)))

    async def _keep(self, order: Order, kind: MediaKind, mime: str, content: bytes) -> None:
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


@contextmanager
def ticking(tick: Callable[[], None], every_s: float = TICK_S) -> Iterator[None]:
    """Call *tick* every so many seconds until the block ends, however it ends."""
    loop = asyncio.get_running_loop()
    timers: list[TimerHandle] = []

    def again() -> None:
        timers[:] = [loop.call_later(every_s, again)]
        tick()

    timers.append(loop.call_later(every_s, again))
    try:
        yield
    finally:
        timers[0].cancel()


class WaitingLine:
    """What the one who waits is told meanwhile, such as `[imagine] Generation en cours... 5s`."""

    def __init__(self, code: str, clock: Clock) -> None:
        """Say the text *code*, with the seconds that *clock* shows."""
        self._code = code
        self._clock = clock
        self._started_s = clock.monotonic()
        self._percent: int | None = None

    def note(self, percent: int) -> None:
        """So much of the work is done."""
        self._percent = percent

    @property
    def elapsed_s(self) -> int:
        """Seconds since the beginning."""
        return round(self._clock.monotonic() - self._started_s)

    def now(self) -> NoticeGiven:
        """Return the line for this moment."""
        line = text(self._code, elapsed_s=self.elapsed_s)
        if self._percent is None:
            return NoticeGiven(line)
        return NoticeGiven(text("generation.percent", line=line, percent=self._percent))


def cut_prompt(prompt: str) -> tuple[str, Text | None]:
    """Return what is taken of *prompt*, and what to say if that is not all."""
    if len(prompt) <= MAX_PROMPT_CHARS:
        return prompt, None
    return prompt[:MAX_PROMPT_CHARS], text("generation.cut", most=MAX_PROMPT_CHARS)


def _why_not_kept(error: StorageError) -> Text:
    if isinstance(error, MediaFullError) or "detail" not in error.data:
        return error.text
    return verbatim(str(error.data["detail"]))
