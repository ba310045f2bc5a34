"""Write utterances into the log and into the contexts of their channels."""

from collections.abc import Sequence
from itertools import groupby

from sqlalchemy import Insert, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from palabre.adapters.storage.sql.history.writing import add_lines
from palabre.adapters.storage.sql.inserting import conflict_insert
from palabre.adapters.storage.sql.moments import to_ms
from palabre.adapters.storage.sql.rooms.said import Said, chars_of
from palabre.adapters.storage.sql.schema.rooms import CONTEXT_LINES, CONTEXTS


async def write(connection: AsyncConnection, all_said: Sequence[Said]) -> None:
    """Write *all_said* in their order, inside the transaction of *connection*; once in each."""
    await write_contexts(connection, all_said)
    await add_lines(connection, [each.logged for each in all_said])


async def write_contexts(connection: AsyncConnection, all_said: Sequence[Said]) -> None:
    """Write *all_said* into the contexts alone."""
    # Rows of contexts first, and in one order everywhere: those that write wait for each other.
    await connection.execute(_counting(connection), _counts(all_said))
    await connection.execute(insert(CONTEXT_LINES), [_line(each) for each in all_said])


def _counts(all_said: Sequence[Said]) -> list[dict[str, object]]:
    by_channel = sorted(all_said, key=_channel)
    channels = [(name, list(group)) for name, group in groupby(by_channel, key=_channel)]
    return [
        {
            "channel": channel,
            "messages": len(group),
            "chars": chars_of(group),
            "size_bytes": sum(each.size_bytes for each in group),
        }
        for channel, group in channels
    ]


def _counting(connection: AsyncConnection) -> Insert:
    adding = conflict_insert(connection, CONTEXTS)
    counts = {
        name: CONTEXTS.c[name] + adding.excluded[name]
        for name in ("messages", "chars", "size_bytes")
    }
    return adding.on_conflict_do_update(index_elements=[CONTEXTS.c.channel], set_=counts)


def _line(each: Said) -> dict[str, object]:
    short = each.short
    return {
        "channel": short.channel,
        "at_ms": to_ms(short.at),
        "nick": short.nick,
        "kind": short.kind,
        "text": short.text,
        "size_bytes": each.size_bytes,
    }


def _channel(each: Said) -> str:
    return each.short.channel
