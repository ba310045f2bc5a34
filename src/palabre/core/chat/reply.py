"""Let one persona answer: recall, prompt, stream, keep, tell."""

import asyncio
import logging
from collections.abc import Collection, Iterator
from contextlib import aclosing, contextmanager
from functools import partial

from palabre.core.chat.briefing import Briefer
from palabre.core.chat.call_sieve import CallSieve
from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.model import (
    MessagePosted,
    NoticeGiven,
    ReplyGrew,
    Utterance,
)
from palabre.core.chat.ongoing_reply import MAX_ANSWER_CHARS, PARAGRAPH, Reply
from palabre.core.chat.reading_aloud import ReadingAloud
from palabre.core.chat.recent_replies import (
    MAX_PROMPT_CHARS,
    MAX_RESPONSE_CHARS,
    RecentReplies,
    RecentReply,
)
from palabre.core.chat.speech import SpeechCleaner
from palabre.core.chat.tool_round import open_round
from palabre.core.chat.turns import Turn
from palabre.core.models.errors import reason_of
from palabre.core.models.model import (
    AnswerGrew,
    AnswerStarted,
    ChatRequest,
    ResolvedModel,
    ToolCall,
    ToolCalled,
)
from palabre.core.models.registry import ModelRegistry
from palabre.core.telemetry.ports import Telemetry
from palabre.core.telemetry.timing import timed
from palabre.core.tools.toolbox import Toolbox
from palabre.kernel.clock import Clock, whole_ms
from palabre.kernel.errors import PalabreError, UpstreamError
from palabre.kernel.ids import Ids, ReplyId
from palabre.kernel.text import Text, text

OURSELVES = "Palabre"
"""Whom a failure is blamed on where no service was asked."""

WAITING_TOLD_AFTER_S = 3.0
"""How long a persona may wait for its model before the channel is told."""

PIECE_CHARS = 2000
"""Of an answer that are taken at once: that costs far more than reading them."""

_log = logging.getLogger(__name__)


class ReplyService:
    """Gives answers and tells the channel of them as they grow."""

    def __init__(
        self,
        *,
        briefer: Briefer,
        chronicle: Chronicle,
        hub: RoomHub,
        models: ModelRegistry,
        clock: Clock,
        ids: Ids,
        reading_aloud: ReadingAloud,
        toolbox: Toolbox | None = None,
        recent: RecentReplies | None = None,
        telemetry: Telemetry,
        patience_s: float = WAITING_TOLD_AFTER_S,
    ) -> None:
        self._patience_s = patience_s
        self._reading_aloud = reading_aloud
        self._toolbox = toolbox
        self._recent = recent
        self._telemetry = telemetry
        self._briefer = briefer
        self._chronicle = chronicle
        self._hub = hub
        self._models = models
        self._clock = clock
        self._ids = ids

    def begin(self, turn: Turn) -> Reply:
        """Return a reply to *turn* that has said nothing yet."""
        return Reply(turn, ReplyId(self._ids.new("reply")))

    async def run(self, reply: Reply) -> Utterance | None:
        """Answer, and return what was said; None if the persona failed or stayed silent.

        A failure that was foreseen becomes a line in the channel.
        """
        try:
            with timed(self._telemetry, self._clock, "reply_seconds"):
                return await self._answer(reply)
        except UpstreamError as error:
            self._notice(reply, _failure(reply.turn, error))
        except PalabreError as error:
            self._notice(reply, error.text)
        finally:
            if not reply.is_ending:
                self._reading_aloud.cancel(reply)
        return None

    def fault(self, reply: Reply) -> None:
        """Log the exception that is being handled, and tell the channel how to refer to it."""
        reference = self._ids.new("error")
        _log.exception("reply failed", extra={"reference": reference})
        nick = reply.turn.persona.nick
        self._notice(reply, text("reply.fault", nick=nick, reference=reference))

    async def _answer(self, reply: Reply) -> Utterance | None:
        try:
            await self._stream(reply)
        except asyncio.CancelledError:
            if reply.broken_off is None:
                raise
            await self._break_off(reply, reply.broken_off)
            return None
        return await self._conclude(reply)

    async def _stream(self, reply: Reply) -> None:
        turn = reply.turn
        await self._wait_for_first_model(reply)
        resolved = await self._models.resolve(turn.persona.model)
        request = await self._briefer.brief(turn, resolved)
        if self._toolbox is None:
            await self._listen(reply, resolved, request)
            return
        tools = await open_round(self._toolbox, turn, resolved.info, request)
        calls = await self._listen(reply, resolved, tools.request, tools.offered)
        if calls and reply.left_chars >= 0:
            reply.used_tools = True
            self._rest(reply)
            said, tell = reply.said_before, partial(self._notice, reply)
            request = await tools.follow_up(calls, said, tell)
            await self._listen(reply, resolved, request, tools.offered)

    async def _listen(
        self,
        reply: Reply,
        resolved: ResolvedModel,
        request: ChatRequest,
        names: Collection[str] = (),
    ) -> list[ToolCall]:
        """Show what the model answers; return its calls of *names*, made or written."""
        sieve, made = CallSieve(names), list[ToolCall]()
        async with aclosing(self._models.stream(resolved, request)) as answer:
            with self._patience(reply):
                async for event in answer:
                    if isinstance(event, AnswerStarted):
                        self._announce(reply)
                    elif isinstance(event, ToolCalled):
                        made.append(event.call)
                    elif isinstance(event, AnswerGrew):
                        await self._take_slowly(reply, sieve, event.text)
                        if reply.left_chars < 0 or sieve.is_over:
                            break
        self._grow(reply, reply.speech.feed(sieve.finish()))
        return [*made, *sieve.calls] if names else []

    @contextmanager
    def _patience(self, reply: Reply) -> Iterator[None]:
        """Tell the channel once if the model is not free soon."""
        loop, nick = asyncio.get_running_loop(), reply.turn.persona.nick
        waiting = text("reply.waiting", nick=nick)
        timer = loop.call_later(self._patience_s, self._tell_unless_announced, reply, waiting)
        try:
            yield
        finally:
            timer.cancel()

    def _tell_unless_announced(self, reply: Reply, words: Text) -> None:
        if not reply.is_announced:
            self._notice(reply, words)

    def _announce(self, reply: Reply) -> None:
        if not reply.is_announced:
            reply.is_announced = True
            self._notice(reply, text("reply.typing", nick=reply.turn.persona.nick))

    async def _take_slowly(self, reply: Reply, sieve: CallSieve, piece: str) -> None:
        """Take *piece*, which may be all of an answer, so that others get their turn."""
        for start in range(0, min(len(piece), reply.left_chars + 1), PIECE_CHARS):
            if start:
                await asyncio.sleep(0)
            self._take(reply, sieve, piece[start : start + PIECE_CHARS])
            if sieve.is_over:
                return

    def _take(self, reply: Reply, sieve: CallSieve, piece: str) -> None:
        passed = sieve.feed(piece[: reply.left_chars])
        reply.left_chars -= len(piece)
        self._grow(reply, reply.speech.feed(passed))

    def _rest(self, reply: Reply) -> None:
        """End what was said before tools are used; what follows begins anew."""
        self._grow(reply, reply.speech.finish())
        reply.said_before = reply.speech.text
        reply.speech = SpeechCleaner(reply.turn.persona.nick)

    async def _wait_for_first_model(self, reply: Reply) -> None:
        arrival = self._models.arrival
        if arrival is not None:
            nick, percent = reply.turn.persona.nick, arrival.percent
            self._notice(reply, text("reply.model_coming", nick=nick, percent=percent))
            await arrival.ended.wait()

    def _grow(self, reply: Reply, shown: str) -> None:
        if not shown:
            return
        if reply.said_before and not reply.goes_on:
            reply.goes_on = True
            shown = PARAGRAPH + shown
        reply.pieces += 1
        self._reading_aloud.grow(reply, shown)
        persona = reply.turn.persona
        self._hub.publish(
            reply.turn.channel,
            ReplyGrew(persona.nick, shown, persona.color, reply.pieces, reply.id),
        )

    async def _conclude(self, reply: Reply) -> Utterance | None:
        reply.is_ending = True
        self._grow(reply, reply.speech.finish())
        self._reading_aloud.finish(reply)
        nick, words = reply.turn.persona.nick, reply.words
        said = await self._say(reply, words) if words else None
        if reply.left_chars < 0:
            self._notice(reply, text("reply.too_long", nick=nick, most=MAX_ANSWER_CHARS))
        elif said is None:
            self._notice(reply, text("reply.silent", nick=nick))
        return said

    async def _break_off(self, reply: Reply, notice: Text) -> None:
        """Keep what was said until then, so that everybody's display ends the same."""
        reply.is_ending = True
        self._reading_aloud.cancel(reply)
        if current := asyncio.current_task():
            current.uncancel()
        if words := reply.words:
            await self._say(reply, words)
        self._notice(reply, notice)

    async def _say(self, reply: Reply, words: str) -> Utterance:
        turn = reply.turn
        nick = turn.persona.nick
        said = Utterance(whole_ms(self._clock.now()), turn.channel, nick, words)
        self._note(reply, words)
        await self._chronicle.say(said, MessagePosted(nick, words, turn.persona.color, reply.id))
        return said

    def _note(self, reply: Reply, words: str) -> None:
        if self._recent is not None:
            turn = reply.turn
            prompt, response = turn.origin[:MAX_PROMPT_CHARS], words[:MAX_RESPONSE_CHARS]
            persona = turn.persona
            noted = RecentReply(persona.id, persona.nick, turn.channel, prompt, response)
            self._recent.note(reply.id, noted)

    def _notice(self, reply: Reply, words: Text) -> None:
        self._hub.publish(reply.turn.channel, NoticeGiven(words, reply.id))


def _failure(turn: Turn, error: UpstreamError) -> Text:
    service = str(error.data.get("service", OURSELVES))
    return text("reply.failed", nick=turn.persona.nick, service=service, detail=reason_of(error))
