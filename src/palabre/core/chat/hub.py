"""Fan a channel's events out to whoever listens: say once, write to many, wait for nobody."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from palabre.core.chat.model import Event, ReplyGrew
from palabre.core.chat.ports import Encoder, Sink
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.ids import ChannelName

MAX_REMEMBERED_CHANNELS = 10_000
"""Counters kept for channels without listeners; the one unused longest starts again at 1."""

E = TypeVar("E", bound=Event)


class _Audience:
    """Who listens to one channel, by what they understand, and what they are yet to be told."""

    __slots__ = ("by_encoder", "pending")

    def __init__(self) -> None:
        self.by_encoder: dict[Encoder, dict[Sink, None]] = {}
        self.pending: list[Event] = []

    def add(self, sink: Sink) -> None:
        self.by_encoder.setdefault(sink.encoder, {})[sink] = None

    def discard(self, sink: Sink) -> None:
        sinks = self.by_encoder.get(sink.encoder, {})
        sinks.pop(sink, None)
        if not sinks:
            self.by_encoder.pop(sink.encoder, None)


class RoomHub:
    """Tells listeners what happens in their channel, in order.

    Events of one turn of the event loop are joined, encoded once for each kind of listener, and
    written with one call a listener. A listener that cannot take more is given up; no other
    waits for it.
    """

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self._audiences: dict[ChannelName, _Audience] = {}
        self._seqs: OrderedDict[ChannelName, int] = OrderedDict()

    def publish(self, channel: ChannelName, event: E) -> E:
        """Tell everybody in *channel*, and return *event* with its place in the channel's log.

        Pieces of a reply have their own count and take no place.
        """
        if not isinstance(event, ReplyGrew):
            event = replace(event, seq=self._next_seq(channel))
        audience = self._audiences.get(channel)
        if audience is not None:
            if not audience.pending:
                asyncio.get_running_loop().call_soon(self._flush, channel)
            audience.pending.append(event)
        return event

    def tell(self, channel: ChannelName, sink: Sink, *events: Event) -> None:
        """Tell *sink* alone, after all that *channel* was told before."""
        self._flush(channel)
        if events:
            self._write(channel, sink, sink.encoder(events), len(events))

    def listen(self, channel: ChannelName, sink: Sink) -> None:
        """Let *sink* hear *channel* from now on; nothing said before reaches it."""
        self._flush(channel)
        self._audiences.setdefault(channel, _Audience()).add(sink)

    def leave(self, channel: ChannelName, sink: Sink) -> None:
        """Let *sink* hear *channel* no more; what was said before still reaches it."""
        self._flush(channel)
        self._discard(channel, sink)

    def channels(self) -> Iterator[ChannelName]:
        """Return the channels that somebody listens to."""
        return iter(self._audiences)

    def _discard(self, channel: ChannelName, sink: Sink) -> None:
        audience = self._audiences.get(channel)
        if audience is None:
            return
        audience.discard(sink)
        if not audience.by_encoder:
            del self._audiences[channel]

    def _flush(self, channel: ChannelName) -> None:
        audience = self._audiences.get(channel)
        if audience is None or not audience.pending:
            return
        events, audience.pending = audience.pending, []
        count = len(events)
        lost: list[Sink] = []
        for encoder, sinks in audience.by_encoder.items():
            payload = encoder(events)
            lost += [sink for sink in sinks if not sink.write(payload, count)]
        for sink in lost:
            self._give_up(channel, sink)

    def _write(self, channel: ChannelName, sink: Sink, payload: bytes, count: int) -> None:
        if not sink.write(payload, count):
            self._give_up(channel, sink)

    def _give_up(self, channel: ChannelName, sink: Sink) -> None:
        self._telemetry.count("listeners_evicted")
        self._discard(channel, sink)
        sink.evict()

    def _next_seq(self, channel: ChannelName) -> int:
        seq = self._seqs[channel] = self._seqs.pop(channel, 0) + 1
        if len(self._seqs) > MAX_REMEMBERED_CHANNELS:
            self._forget_one_channel()
        return seq

    def _forget_one_channel(self) -> None:
        for channel in self._seqs:
            if channel not in self._audiences:
                del self._seqs[channel]
                return
