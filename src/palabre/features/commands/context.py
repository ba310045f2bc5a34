"""/context: how much of the channel is kept (seed 000 §13.2)."""

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command
from palabre.core.chat.model import ChannelStats
from palabre.kernel.clock import iso_utc
from palabre.kernel.text import Text, text

_MB = 1024 * 1024


async def _context(call: Call) -> None:
    stats = await call.store.stats(call.channel)
    totals = await call.store.totals()
    call.answer(
        "context.page",
        channel=call.channel,
        messages=stats.messages,
        chars=stats.chars,
        compaction=_compaction(stats),
        channels=totals.channels,
        megabytes=totals.size_bytes / _MB,
    )


def _compaction(stats: ChannelStats) -> Text:
    if stats.compacted_at is None:
        return text("context.not_compacted")
    return text(
        "context.compacted",
        entries=stats.compacted_entries,
        compactions=stats.compactions,
        last=iso_utc(stats.compacted_at),
    )


COMMAND = Command("context", _context, rank=9, permission=Permission.CHAT_READ)
