"""Thumbs and pins of the terminal, as the server keeps them."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from tests.support.desk import caller
from tests.support.rooms import House, house

from palabre.core.auth.model import Role
from palabre.surfaces.rooms.tui.address import feedback_url, socket_url
from palabre.surfaces.rooms.tui.connection import Connection, Event
from palabre.surfaces.rooms.tui.conversation import Conversation
from palabre.surfaces.rooms.tui.entry import Entry, Kind
from palabre.surfaces.rooms.tui.judging import FeedbackRoute
from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.words import Words
from palabre.testing.clock import FrozenClock


def terminal_of(place: House, nick: str) -> Conversation:
    def connect(wanted: Callable[[], str | None], report: Callable[[Event], None]) -> Connection:
        return Connection(lambda: socket_url(place.url, wanted(), "fr"), report)

    route = FeedbackRoute(feedback_url(place.url))
    return Conversation(Session(nick), FrozenClock(), Words("fr"), connect, tell_verdict=route)


@asynccontextmanager
async def terminal(place: House, nick: str = "lea") -> AsyncIterator[Conversation]:
    conversation = terminal_of(place, nick)
    conversation.judging.says_marks = True
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(conversation.run())
        await until(lambda: conversation.session.nick is not None)
        yield conversation
        running.cancel()


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not is_so():  # noqa: ASYNC110 - a real socket
            await asyncio.sleep(0.01)


async def answered(lea: Conversation, count: int) -> None:
    """Ask the same, and wait for answer number *count*."""
    await until(lambda: lea.link.connected)
    lea.say("@Batty Que vois-tu ?")
    await until(lambda: len(answers(lea)) == count)


def answers(lea: Conversation) -> list[Entry]:
    entries = lea.session.entries
    return [each for each in entries if each.kind is Kind.MESSAGE and each.nick == "Batty"]


async def noted(lea: Conversation, words: str) -> None:
    await until(lambda: any(words in each.text for each in lea.session.entries))


async def kept(place: House) -> list[dict[str, Any]]:
    editor = await caller(place, Role.EDITOR)
    listed = (await editor.get("/api/admin/personas/batty/feedback")).data
    return [json.loads(each["message"]) for each in reversed(listed)]


async def exported(place: House, ask: Callable[[str], Awaitable[Any]]) -> list[dict[str, Any]]:
    lines = (await ask("/api/v2/export/dpo")).text.splitlines()
    return [json.loads(line) for line in lines]


async def test_two_thumbs_on_two_answers_to_one_question_are_one_pair() -> None:
    async with house("Des nuages.", "Rien.") as place, terminal(place) as lea:
        await answered(lea, 1)
        lea.say("/thumb up")
        await noted(lea, "Pouce levé")
        await answered(lea, 2)
        lea.say("/thumb down batty")
        await noted(lea, "Pouce baissé")
        assert [each.vote for each in answers(lea)] == ["up", "down"]
        told = [(each["vote"], each["response"]) for each in await kept(place)]
        assert told == [("up", "Des nuages."), ("down", "Rien.")]
        editor = await caller(place, Role.EDITOR, "eve")
        [pair] = await exported(place, editor.get)
        assert (pair["chosen"], pair["rejected"]) == ("Des nuages.", "Rien.")


async def test_the_opposite_thumb_takes_the_place_of_the_first_and_a_pin_stays() -> None:
    async with house("Des nuages.") as place, terminal(place) as lea:
        await answered(lea, 1)
        for wish, words in (("up", "levé"), ("pin", "pinglée"), ("down", "baissé")):
            lea.say(f"/thumb {wish}")
            await noted(lea, words)
        [entry] = answers(lea)
        assert (entry.vote, entry.pinned) == ("down", True)
        told = await kept(place)
        assert {each.get("vote") or each["signal"] for each in told} == {"down", "pin"}


async def test_the_same_thumb_again_takes_it_back() -> None:
    async with house("Des nuages.") as place, terminal(place) as lea:
        await answered(lea, 1)
        for words in ("levé", "Retiré"):
            lea.say("/thumb up")
            await noted(lea, words)
        assert answers(lea)[0].vote == ""
        assert await kept(place) == []
