"""A program in the rooms: it comes in, says one thing, hears what it provoked, and leaves."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from palabre.core.chat.model import Event, LargeEvent, MessagePosted, NoticeGiven, ReplyGrew
from palabre.core.chat.ports import Encoder, LargePayload
from palabre.core.chat.service import ChatService
from palabre.core.chat.visitors import Visitor
from palabre.core.personas.nicks import MAX_NICK, is_nick
from palabre.kernel.errors import UserError
from palabre.kernel.ids import ChannelName
from palabre.kernel.text import Text

PREFIX = "mcp_"
"""Begins the nick of every program: people see that it is none of them."""

PROGRESS_EVERY_S = 1.0

PASSING = frozenset({"reply.typing", "reply.waiting"})
"""Lines of the room that mean nothing once a persona has answered."""

_CHANNEL = re.compile(r"#[a-zA-Z0-9_-]{1,29}")

Progress = Callable[[int, int, str], Awaitable[None]]
"""Is told how many answers are here, of how many, and who speaks."""


class ChannelUnfitError(UserError):
    """No channel can be called `data["channel"]`."""

    code = "mcp_channel_unfit"


class NickUnfitError(UserError):
    """Nobody can be called `data["nick"]`; at most `data["limit"]` characters."""

    code = "mcp_nick_unfit"


@dataclass(frozen=True, slots=True)
class Message:
    """What a program wants to say."""

    text: str
    channel: str
    nick: str
    timeout_s: float


@dataclass(slots=True)
class Heard:
    """What came of it.

    Attributes:
        nick: By which it was said.
        answers: What personas answered, in the order of their end.
        notices: What the room said about it: somebody failed, stayed silent ...
        is_complete: Whether all had answered when it left.
    """

    nick: str
    answers: list[MessagePosted] = field(default_factory=list)
    notices: list[Text] = field(default_factory=list)
    is_complete: bool = True


def check(message: Message) -> Visitor:
    """Return who says *message*.

    Raises:
        ChannelUnfitError: No channel can be called like that.
        NickUnfitError: Nobody can be.
    """
    if not _CHANNEL.fullmatch(message.channel):
        raise ChannelUnfitError(channel=message.channel[:40])
    nick = PREFIX + message.nick.removeprefix(PREFIX)
    if not is_nick(nick):
        raise NickUnfitError(nick=message.nick[:40], limit=MAX_NICK - len(PREFIX))
    return Visitor(nick)


async def say(chat: ChatService, message: Message, progress: Progress) -> Heard:
    """Say *message* and return what personas answer within its time.

    Those who have not answered by then go on in the room.

    Raises:
        UserError: As `check`.
        StorageError: It could not be kept.
    """
    visitor, sink = check(message), _GuestSink()
    member = await chat.enter(sink, visitor)
    try:
        if message.channel != member.channel:
            await chat.run_command(member, f"/join {message.channel}")
        if member.channel != ChannelName(message.channel):
            raise ChannelUnfitError(channel=message.channel)
        await asyncio.sleep(0)  # what was published before is told at the end of the loop's turn
        sink.events.clear()
        turns = await chat.post(member, message.text)
        heard = Heard(member.nick)
        listening = _Listening({turn.get_name() for turn in turns}, heard, sink, progress)
        heard.is_complete = await listening.until_done(turns, message.timeout_s)
        return heard
    finally:
        chat.leave(member)


class _Listening:
    """Sorts out of what a room says what concerns some replies."""

    def __init__(
        self, replies: set[str], heard: Heard, sink: "_GuestSink", progress: Progress
    ) -> None:
        self._replies = replies
        self._heard = heard
        self._sink = sink
        self._progress = progress

    async def until_done(self, turns: list[asyncio.Task[None]], timeout_s: float) -> bool:
        loop = asyncio.get_running_loop()
        end_s, left = loop.time() + timeout_s, set(turns)
        while left and (wait_s := min(PROGRESS_EVERY_S, end_s - loop.time())) > 0:
            _, left = await asyncio.wait(left, timeout=wait_s)
            self._take()
            await self._progress(len(turns) - len(left), len(turns), self._sink.speaking)
        await asyncio.sleep(0)  # what was published last is told at the end of the loop's turn
        self._take()
        return not left

    def _take(self) -> None:
        events, self._sink.events = self._sink.events, []
        for event in events:
            is_for_us = event.seq is None or event.reply_id in self._replies
            if isinstance(event, NoticeGiven):
                if is_for_us and event.text.code not in PASSING:
                    self._heard.notices.append(event.text)
            elif event.reply_id in self._replies:
                self._heard.answers.append(event)


class _GuestSink:
    """Keeps what the room says, until it is taken."""

    def __init__(self) -> None:
        self.events: list[MessagePosted | NoticeGiven] = []
        self.speaking = ""
        self._encoder = _Keeper(self)

    @property
    def encoder(self) -> Encoder:
        return self._encoder

    def keep(self, event: Event) -> None:
        if isinstance(event, ReplyGrew):
            self.speaking = event.author
        elif isinstance(event, MessagePosted | NoticeGiven):
            self.events.append(event)

    def write(self, payload: bytes, events: int) -> bool:  # noqa: ARG002
        return True

    def write_large(self, payload: LargePayload) -> bool:  # noqa: ARG002
        return True

    def evict(self) -> None:
        return


class _Keeper:
    """Hands events to its one sink as they are encoded: nothing is written for it."""

    def __init__(self, sink: _GuestSink) -> None:
        self._sink = sink

    def __call__(self, event: Event) -> bytes:
        self._sink.keep(event)
        return b""

    def large(self, event: LargeEvent) -> LargePayload:  # noqa: ARG002
        return LargePayload((), 0, can_miss=True)
