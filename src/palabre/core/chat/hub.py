"""Fan a channel's events out to whoever listens: say once, write to many, wait for nobody."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from palabre.core.chat.model import Event, LargeEvent, ReplyGrew
from palabre.core.chat.ports import Encoder, LargePayload, Sink
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.ids import ChannelName

MAX_REMEMBERED_CHANNELS = 10_000
"""Counters kept for channels without listeners; the one unused longest starts again at 1."""

E = TypeVar("E", bound=Event)


class _Audience:
    """Who listens to one channel, by what they understand, and what they are yet to be told.

    Attributes:
        by_encoder: The listeners.
        pending: What happened in this turn of the event loop.
        heard: How much of `pending` a listener has heard already, or is not meant to hear.
    """

    __slots__ = ("by_encoder", "heard", "pending")

    def __init__(self) -> None:
        self.by_encoder: dict[Encoder, dict[Sink, None]] = {}
        self.pending: list[Event] = []
        self.heard: dict[Sink, int] = {}

    def __contains__(self, sink: Sink) -> bool:
        return sink in self.by_encoder.get(sink.encoder, ())

    def add(self, sink: Sink) -> None:
        if sink not in self:
            self.by_encoder.setdefault(sink.encoder, {})[sink] = None
            self.heard[sink] = len(self.pending)

    def discard(self, sink: Sink) -> None:
        self.heard.pop(sink, None)
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
        self._catch_up(channel, sink)
        self._write(channel, sink, events)

    def listen(self, channel: ChannelName, sink: Sink) -> None:
        """Let *sink* hear *channel* from now on; nothing said before reaches it."""
        self._audiences.setdefault(channel, _Audience()).add(sink)

    def leave(self, channel: ChannelName, sink: Sink) -> None:
        """Let *sink* hear *channel* no more; what was said before still reaches it."""
        self._catch_up(channel, sink)
        self._discard(channel, sink)

    def forget(self, channel: ChannelName, sink: Sink) -> None:
        """Write nothing more to *sink*: its line is gone."""
        self._discard(channel, sink)

    def has_listeners(self, channel: ChannelName) -> bool:
        """Say whether anybody hears *channel* now."""
        return channel in self._audiences

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

    def _catch_up(self, channel: ChannelName, sink: Sink) -> None:
        """Let *sink* alone hear now what the others hear at the end of this turn."""
        audience = self._audiences.get(channel)
        if audience is None or sink not in audience:
            return
        heard = audience.heard.get(sink, 0)
        audience.heard[sink] = len(audience.pending)
        self._write(channel, sink, audience.pending[heard:])

    def _flush(self, channel: ChannelName) -> None:
        audience = self._audiences.get(channel)
        if audience is None:
            return
        events, audience.pending = audience.pending, []
        heard, audience.heard = audience.heard, {}
        lost: list[Sink] = []
        go_alone = any(isinstance(event, LargeEvent) for event in events)
        for encoder, sinks in audience.by_encoder.items():
            if go_alone:
                lost += _told_singly(sinks, [_said(encoder, each) for each in events], heard)
                continue
            parts = [encoder(event) for event in events]
            if heard:
                lost += _told_rest(sinks, parts, heard)
            else:
                lost += _told_all(sinks, parts)
        for sink in lost:
            self._give_up(channel, sink)

    def _write(self, channel: ChannelName, sink: Sink, events: Sequence[Event]) -> None:
        if any(isinstance(event, LargeEvent) for event in events):
            parts = [_said(sink.encoder, event) for event in events]
            lost = bool(_told_singly([sink], parts, {}))
        else:
            payload = b"".join(map(sink.encoder, events))
            lost = bool(events) and not sink.write(payload, len(events))
        if lost:
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


def _said(encoder: Encoder, event: Event) -> bytes | LargePayload:
    return encoder.large(event) if isinstance(event, LargeEvent) else encoder(event)


def _told_all(sinks: Iterable[Sink], parts: list[bytes]) -> list[Sink]:
    """Write all *parts* to each of *sinks*; return those that took them no more."""
    payload, count = b"".join(parts), len(parts)
    return [sink for sink in sinks if not sink.write(payload, count)]


def _told_singly(
    sinks: Iterable[Sink], parts: list[bytes | LargePayload], heard: Mapping[Sink, int]
) -> list[Sink]:
    """Write to each of *sinks*, one by one, those of *parts* that it has not *heard* yet."""
    return [
        sink for sink in sinks if not all(_took(sink, part) for part in parts[heard.get(sink, 0) :])
    ]


def _took(sink: Sink, part: bytes | LargePayload) -> bool:
    return sink.write(part, 1) if isinstance(part, bytes) else sink.write_large(part)


def _told_rest(sinks: Iterable[Sink], parts: list[bytes], heard: Mapping[Sink, int]) -> list[Sink]:
    """Write to each of *sinks* what it has not *heard* yet."""
    whole, lost = b"".join(parts), []
    for sink in sinks:
        known = heard.get(sink, 0)
        payload = b"".join(parts[known:]) if known else whole
        if known < len(parts) and not sink.write(payload, len(parts) - known):
            lost.append(sink)
    return lost
