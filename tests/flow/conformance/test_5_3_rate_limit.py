"""Seed 000 §5.3: how many frames one client may send."""

from tests.support.rooms import Client, house

from palabre.testing.clock import FrozenClock

LIMITED = {"type": "system", "text": "Trop de messages — ralentis un peu."}


async def spend(client: Client, frames: int) -> None:
    """Send *frames* messages and see each come back."""
    for number in range(frames):
        await client.say(f"n{number}")
        assert (await client.next())["text"] == f"n{number}"


async def test_fifteen_frames_pass_and_the_next_is_answered_with_a_line() -> None:
    """§5.3 — RATE_LIMIT_MAX_MESSAGES 15
    §5.3 — Reponse si limite { type: "system", text: "Trop de messages — ralentis un peu." }
    §14 — Rate limiting: 15 msg/10s chat
    """
    async with house(personas=(), clock=FrozenClock()) as place:
        ana, bob = await place.company("ana", "bob")
        await spend(ana, 15)
        await ana.say("de trop")
        assert await ana.next() == LIMITED
        told = [frame["text"] for frame in await bob.so_far()]
        assert told == [f"n{number}" for number in range(15)]


async def test_every_frame_above_the_limit_is_answered_and_none_is_done() -> None:
    """§5.3 — reject si count >= 15"""
    async with house(personas=(), clock=FrozenClock()) as place:
        ana, bob = await place.company("ana", "bob")
        await spend(ana, 15)
        for text in ("/who", "/nick zoe", "/clear"):
            await ana.command(text)
            assert await ana.next() == LIMITED
        assert [frame["text"] for frame in await bob.so_far()][15:] == []


async def test_the_window_slides() -> None:
    """§5.3 — RATE_LIMIT_WINDOW_MS 10 000 ms
    §5.3 — Sliding window: prune timestamps < now - 10s
    """
    clock = FrozenClock()
    async with house(personas=(), clock=clock) as place:
        ana = await place.enter("ana")
        await spend(ana, 10)
        clock.advance(6)
        await spend(ana, 5)
        clock.advance(4)  # exactly ten seconds after the first ten: they still count
        await ana.say("tot")
        assert await ana.next() == LIMITED
        clock.advance(0.001)
        await spend(ana, 10)
        await ana.say("encore trop")
        assert await ana.next() == LIMITED


async def test_what_is_refused_takes_no_place_in_the_window() -> None:
    """§5.3 — reject si count >= 15"""
    clock = FrozenClock()
    async with house(personas=(), clock=clock) as place:
        ana = await place.enter("ana")
        await spend(ana, 15)
        clock.advance(9)
        for _ in range(5):
            await ana.say("de trop")
            assert await ana.next() == LIMITED
        clock.advance(1.001)
        await spend(ana, 15)


async def test_each_connection_has_its_own_window() -> None:
    """§5.3 — Messages chat/command (per-connection, sliding window)"""
    async with house(personas=(), clock=FrozenClock()) as place:
        ana, bob = await place.company("ana", "bob")
        await spend(ana, 15)
        await ana.say("de trop")
        assert await ana.next() == LIMITED
        assert len(await bob.so_far()) == 15
        await bob.say("moi")
        assert (await ana.next())["text"] == "moi"
        await ana.leave()
        back = await place.enter("ana")
        await back.say("me revoila")
        assert [f["text"] for f in await back.so_far()][-1] == "me revoila"


async def test_frames_that_are_no_json_count() -> None:
    """§5.6 — 2. Rate limit check: checkRateLimit(info) → system error reply"""
    async with house(personas=(), clock=FrozenClock()) as place:
        ana = await place.enter("ana")
        for _ in range(14):
            await ana.send("{pas du json")
        assert (await ana.answer("/who"))["type"] == "userlist"
        await ana.send("{pas du json")
        assert await ana.next() == LIMITED


async def test_frames_of_the_wrong_shape_count() -> None:
    """§5.6 — 2. Rate limit check: checkRateLimit(info) → system error reply"""
    async with house(personas=(), clock=FrozenClock()) as place:
        ana = await place.enter("ana")
        for _ in range(15):
            await ana.send("{}")
            assert (await ana.next())["text"] == "Message invalide (format incorrect)."
        await ana.send("{}")
        assert await ana.next() == LIMITED


async def test_too_large_frames_do_not_count() -> None:
    """§5.6 — 1. Frame size check: raw.length > MAX_WS_MESSAGE_BYTES (16 MB) → silently dropped"""
    async with house(personas=(), clock=FrozenClock(), rate_limit_messages=2) as place:
        ana = await place.enter("ana")
        for _ in range(3):
            await ana.send('{"type":"message","text":"a","pad":"' + "x" * 16 * 1024 * 1024 + '"}')
        await spend(ana, 2)
