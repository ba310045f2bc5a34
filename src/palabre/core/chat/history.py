"""Show a newcomer what was said last. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo

from palabre.core.chat.model import UNKNOWN_COLOR, Event, MessagePosted, NoticeGiven, Utterance
from palabre.core.personas.model import Cast
from palabre.kernel.text import text, verbatim


def replayed(said: Sequence[Utterance], cast: Cast, zone: tzinfo) -> list[Event]:
    """Return the events that tell *said* again, each with its hour in *zone* (seed 000 §5.2).

    The room's own lines stay its own: they are nobody's messages.

    Nothing at all when nothing was said.
    """
    if not said:
        return []
    colors = {persona.nick.casefold(): persona.color for persona in cast.personas}
    lines = [_told_again(each, zone, colors) for each in said]
    opening, closing = NoticeGiven(text("history.opening")), NoticeGiven(text("history.closing"))
    return [opening, *lines, closing]


def _told_again(said: Utterance, zone: tzinfo, colors: Mapping[str, str]) -> Event:
    line = f"[{_hour(said.at, zone)}] {said.text}"
    if said.kind == "system":
        return NoticeGiven(verbatim(line))
    return MessagePosted(said.nick, line, colors.get(said.nick.casefold(), UNKNOWN_COLOR))


def _hour(at: datetime, zone: tzinfo) -> str:
    try:
        local = at.astimezone(zone)
    except OverflowError:  # the first or last hours of the calendar: told as UTC has them
        local = at
    return f"{local:%H:%M}"
