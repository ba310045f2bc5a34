"""What a channel's context holds: read from its table, never more of it than is asked for."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from palabre.adapters.storage.sql.moments import from_ms
from palabre.adapters.storage.sql.schema.rooms import CONTEXT_LINES, CONTEXTS
from palabre.core.chat.model import Backlog, ChannelStats, Utterance
from palabre.core.chat.summaries import newest_sentences
from palabre.core.chat.utterances import SUMMARY_NICK, newest_that_fit, summary_budget
from palabre.kernel.ids import ChannelName, Nick

PAGE = 200
"""Lines that are read at once; each has a text of at most `MAX_CONTEXT_CHARS`."""

AnyRow = Row[Any]


def context_of(connection: Connection, channel: ChannelName) -> AnyRow | None:
    """Return the row of *channel*; None for an unknown one."""
    return connection.execute(select(CONTEXTS).where(CONTEXTS.c.channel == channel)).one_or_none()


def stats(connection: Connection, channel: ChannelName) -> ChannelStats:
    """Return the counts of *channel*."""
    row = context_of(connection, channel)
    if row is None:
        return ChannelStats()
    at_ms = row.compacted_at_ms
    return ChannelStats(
        messages=row.messages,
        chars=row.chars,
        compacted_entries=row.compacted_entries,
        compactions=row.compactions,
        compacted_at=None if at_ms is None else from_ms(at_ms),
    )


def latest(connection: Connection, channel: ChannelName, count: int) -> list[Utterance]:
    """Return the newest *count* lines of *channel*, oldest first."""
    context = context_of(connection, channel)
    if context is None:
        return []
    newest = _lines(channel, context.archived_to).order_by(CONTEXT_LINES.c.id.desc()).limit(count)
    return [_utterance(row) for row in reversed(connection.execute(newest).all())]


def within(connection: Connection, channel: ChannelName, budget_chars: int) -> list[Utterance]:
    """Return the end of what stands for older lines, and the newest that fit besides it."""
    # Lines stay in the table when they are archived: what follows is of one moment.
    context = context_of(connection, channel)
    if context is None:
        return []
    before = _summary(context, summary_budget(budget_chars))
    left = budget_chars - sum(len(each.text) for each in before)
    found: list[Utterance] = []
    chars = 0
    for row in _newest_first(connection, channel, context.archived_to):
        found.append(_utterance(row))
        chars += len(row.text)
        if chars > left:
            break
    return [*before, *newest_that_fit(found[::-1], left)]


def backlog(
    connection: Connection, channel: ChannelName, share: float, min_entries: int
) -> Backlog | None:
    """Return the oldest *share* of the lines; positions are ids behind the archived ones."""
    context = context_of(connection, channel)
    count = int(context.messages * share) if context else 0
    if context is None or context.messages < min_entries or not count:
        return None
    oldest = _lines(channel, context.archived_to).order_by(CONTEXT_LINES.c.id)
    last = connection.execute(oldest.offset(count - 1).limit(1)).one_or_none()
    if last is None:
        return None
    end = last.id - context.archived_to
    return Backlog(channel, count, end, str(context.archived_to), context.summary)


def passage(
    connection: Connection, backlog: Backlog, start: int, max_chars: int
) -> tuple[list[Utterance], int]:
    """Return lines of *backlog* from *start*, as many as fit but one, and where they end."""
    context = context_of(connection, backlog.channel)
    if not is_of(context, backlog):
        return [], backlog.end
    base, position = int(backlog.token), start
    said: list[Utterance] = []
    wanted = _lines(backlog.channel, base).where(CONTEXT_LINES.c.id <= base + backlog.end)
    for row in _oldest_first(connection, wanted, base + start):
        max_chars -= len(row.nick) + len(row.text)
        if said and max_chars < 0:
            return said, position
        said.append(_utterance(row))
        position = row.id - base
    return said, backlog.end


def is_of(context: AnyRow | None, backlog: Backlog) -> bool:
    """Say whether *context* still begins with *backlog*."""
    return context is not None and str(context.archived_to) == backlog.token


def _summary(context: AnyRow, max_chars: int) -> list[Utterance]:
    words = newest_sentences(context.summary, max_chars)
    if not words or context.compacted_at_ms is None:
        return []
    at = from_ms(context.compacted_at_ms)
    return [Utterance(at, ChannelName(context.channel), SUMMARY_NICK, words, "summary")]


def _lines(channel: ChannelName, after_id: int) -> Select[Any]:
    lines = CONTEXT_LINES.c
    return select(CONTEXT_LINES).where(lines.channel == channel, lines.id > after_id)


def _newest_first(connection: Connection, channel: ChannelName, after_id: int) -> Iterator[AnyRow]:
    newest = _lines(channel, after_id).order_by(CONTEXT_LINES.c.id.desc()).limit(PAGE)
    page: Sequence[AnyRow] = connection.execute(newest).all()
    while page:
        yield from page
        page = connection.execute(newest.where(CONTEXT_LINES.c.id < page[-1].id)).all()


def _oldest_first(connection: Connection, wanted: Select[Any], after_id: int) -> Iterator[AnyRow]:
    oldest = wanted.order_by(CONTEXT_LINES.c.id).limit(PAGE)
    while page := connection.execute(oldest.where(CONTEXT_LINES.c.id > after_id)).all():
        yield from page
        after_id = page[-1].id


def _utterance(row: AnyRow) -> Utterance:
    channel, nick = ChannelName(row.channel), Nick(row.nick)
    return Utterance(from_ms(row.at_ms), channel, nick, row.text, row.kind)
