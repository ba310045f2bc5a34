import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from tests.support.tui_session import COLOR, feed, greeted

from palabre.surfaces.rooms.tui.entry import Entry
from palabre.surfaces.rooms.tui.judging import FeedbackRoute, Judging, VerdictRefusedError
from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.verdicts import Verdict, VerdictWish, last_answer
from palabre.wire.rooms import Message

VERDICT = Verdict("up", "Batty", "J'ai vu.", "r2", "#general")


class Place:
    """A reader who judges, and a server that a test speaks for."""

    def __init__(self) -> None:
        self.session: Session = greeted()
        feed(self.session, Message("Batty", "J'ai vu.", COLOR, 2, "r2"))
        self.told: list[tuple[str, str, str]] = []
        self.withdrawn: list[str] = []
        self.notes: list[tuple[str, dict[str, str]]] = []
        self.asked = 0
        self.refusal: VerdictRefusedError | None = None
        self.changes = 0
        self.judging = Judging(self.session, self._tell, self._ask, self._note)

    async def _tell(self, verdict: Verdict, ticket: str) -> None:
        if self.refusal:
            raise self.refusal
        if verdict.withdraws:
            self.withdrawn.append(verdict.vote)
            return
        self.told.append((verdict.vote, verdict.reply_id, ticket))

    def _ask(self) -> None:
        self.asked += 1
        self.judging.take_ticket(f"ticket {self.asked}")

    def _note(self, code: str, **data: str) -> None:
        self.notes.append((code, data))

    def _changed(self) -> None:
        self.changes += 1

    @property
    def answer(self) -> Entry:
        found = last_answer(self.session)
        assert found is not None
        return found

    async def judge(self, *wishes: VerdictWish) -> None:
        """Judge, and wait until the server has answered all of it."""
        wanted = self.changes
        for wish in wishes:
            before = len(self.notes)
            self.judging.judge(wish)
            wanted += len(self.notes) == before
        working = asyncio.create_task(self.judging.run(self._changed))
        async with asyncio.timeout(10):
            while self.changes < wanted:  # noqa: ASYNC110 - a count
                await asyncio.sleep(0)
        working.cancel()


async def test_a_mark_is_there_at_once_and_the_server_is_told() -> None:
    place = Place()
    place.judging.judge(VerdictWish("up"))
    assert place.answer.vote == "up"
    await place.judge()
    await place.judge(VerdictWish("pin"))
    assert (place.answer.vote, place.answer.pinned) == ("up", True)
    assert place.told == [("up", "r2", "ticket 1"), ("pin", "r2", "ticket 1")]
    assert place.notes == []


async def test_the_opposite_thumb_takes_its_place() -> None:
    place = Place()
    await place.judge(VerdictWish("up"), VerdictWish("down"))
    assert place.answer.vote == "down"
    assert [vote for vote, _, _ in place.told] == ["up", "down"]


async def test_the_same_again_takes_it_back() -> None:
    place = Place()
    place.judging.says_marks = True
    await place.judge(VerdictWish("up"), VerdictWish("pin"))
    await place.judge(VerdictWish("up"), VerdictWish("pin"))
    assert (place.answer.vote, place.answer.pinned) == ("", False)
    assert place.withdrawn == ["up", "pin"]
    assert [code for code, _ in place.notes][2:] == ["thumb.withdrawn"] * 2


async def test_what_could_not_be_taken_back_is_marked_again() -> None:
    place = Place()
    await place.judge(VerdictWish("down"))
    place.refusal = VerdictRefusedError("unreachable")
    await place.judge(VerdictWish("down"))
    assert place.answer.vote == "down"


async def test_a_mark_that_the_server_does_not_take_is_taken_back() -> None:
    place = Place()
    await place.judge(VerdictWish("down"))
    place.refusal = VerdictRefusedError("feedback_too_fast")
    await place.judge(VerdictWish("up"), VerdictWish("pin"))
    assert (place.answer.vote, place.answer.pinned) == ("down", False)
    assert [code for code, _ in place.notes] == ["thumb.feedback_too_fast"] * 2


async def test_another_connection_has_another_ticket() -> None:
    place = Place()
    await place.judge(VerdictWish("up"))
    place.judging.drop_ticket()
    await place.judge(VerdictWish("down"))
    assert [ticket for _, _, ticket in place.told] == ["ticket 1", "ticket 2"]


async def test_where_lines_stay_as_they_are_marks_are_said() -> None:
    place = Place()
    place.judging.says_marks = True
    await place.judge(VerdictWish("pin"))
    assert place.notes == [("thumb.pin", {"nick": "Batty"})]


@pytest.mark.parametrize(
    ("wish", "note"),
    [(VerdictWish(None), "thumb.usage"), (VerdictWish("up", "Nobody"), "thumb.nothing")],
)
async def test_a_wish_that_means_nothing_is_explained(wish: VerdictWish, note: str) -> None:
    place = Place()
    await place.judge(wish)
    assert [code for code, _ in place.notes] == [note]
    assert place.told == []


async def test_without_a_route_nothing_is_kept() -> None:
    place = Place()
    place.judging = Judging(place.session, None, place._ask, place._note)
    await place.judge(VerdictWish("up"))
    assert place.answer.vote == ""
    assert [code for code, _ in place.notes] == ["thumb.unreachable"]


# Over HTTP


@asynccontextmanager
async def serving(status: int, answer: Any) -> AsyncIterator[tuple[str, list[tuple[str, Any]]]]:
    """Answer every request alike; give the address, and heads and bodies that came."""
    came: list[tuple[str, Any]] = []
    raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int((head.partition("content-length:")[2].split() or ["0"])[0])
        body = await reader.readexactly(length)
        came.append((head, json.loads(body) if body else None))
        told = f"HTTP/1.1 {status} X\r\nContent-Length: {len(raw)}\r\nConnection: close\r\n\r\n"
        writer.write(told.encode() + raw)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/api/v2/feedback", came


async def test_the_ticket_goes_with_the_verdict() -> None:
    async with serving(200, {"ok": True}) as (url, came):
        await FeedbackRoute(url)(VERDICT, "abc")
    [(head, body)] = came
    assert "x-upload-ticket: abc" in head
    assert body == VERDICT.body


@pytest.mark.parametrize("status", [200, 404])
async def test_what_is_taken_back_is_named_in_the_address(status: int) -> None:
    async with serving(status, {}) as (url, came):
        await FeedbackRoute(url)(replace(VERDICT, withdraws=True), "abc")
    [(head, body)] = came
    assert head.startswith("delete /api/v2/feedback/r2?personanick=batty&vote=up http")
    assert "x-upload-ticket: abc" in head
    assert body is None


@pytest.mark.parametrize(
    ("status", "answer", "reason", "detail"),
    [
        (404, {"ok": False, "error": "reply_not_found"}, "reply_not_found", ""),
        (429, {"ok": False, "error": "feedback_too_fast"}, "feedback_too_fast", ""),
        (400, {"ok": False, "error": "validation_error"}, "refused", "validation_error"),
        (502, b"<html>", "refused", "HTTP 502"),
        (500, [], "refused", "HTTP 500"),
    ],
)
async def test_a_refusal_says_why(status: int, answer: Any, reason: str, detail: str) -> None:
    async with serving(status, answer) as (url, _):
        with pytest.raises(VerdictRefusedError) as refused:
            await FeedbackRoute(url)(VERDICT, "abc")
    assert (refused.value.reason, refused.value.detail) == (reason, detail)


async def test_a_server_that_is_gone_is_said_to_be() -> None:
    async with serving(200, {}) as (url, _):
        pass
    with pytest.raises(VerdictRefusedError) as refused:
        await FeedbackRoute(url)(VERDICT, "abc")
    assert refused.value.reason == "unreachable"
