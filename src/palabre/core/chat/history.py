"""Show a newcomer what was said last. Pure."""

from collections.abc import Sequence
from datetime import tzinfo

from palabre.core.chat.model import UNKNOWN_COLOR, Event, MessagePosted, NoticeGiven, Utterance
from palabre.core.personas.model import Cast
from palabre.kernel.text import text


def replayed(said: Sequence[Utterance], cast: Cast, zone: tzinfo) -> list[Event]:
    """Return the events that tell *said* again, each with its hour in *zone* (seed 000 §5.2).

    Nothing at all when nothing was said.
    """
    if not said:
        return []
    colors = {persona.nick.casefold(): persona.color for persona in cast.personas}
    lines = [
        MessagePosted(
            each.nick,
            f"[{each.at.astimezone(zone):%H:%M}] {each.text}",
            colors.get(each.nick.casefold(), UNKNOWN_COLOR),
        )
        for each in said
    ]
    opening, closing = NoticeGiven(text("history.opening")), NoticeGiven(text("history.closing"))
    return [opening, *lines, closing]
