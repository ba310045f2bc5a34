"""Seed 000 §5.1: how a client connects."""

import json

import pytest
from tests.support.rooms import house
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

MIB_16 = 16 * 1024 * 1024


async def test_the_endpoint_is_ws() -> None:
    """§5.1 — Endpoint: ws://<host>:<port>/ws
    §5.1 — Path: /ws
    """
    async with house() as place:
        assert (await place.enter("ana")).nick == "ana"
        with pytest.raises(InvalidStatus):
            await connect(f"{place.url}/chat")


async def test_the_query_parameter_nick_is_the_nick() -> None:
    """§5.1 — Parametre optionnel: ?nick=<pseudo>"""
    async with house() as place:
        ana = await place.enter("ana")
        assert (await ana.answer("/who"))["users"][0] == "ana"


CUT = {
    "a" * 24: "a" * 24,
    "b" * 25: "b" * 24,
    "c" * 24 + " <b>": "c" * 24,
    "  ana  ": "ana",
    "é" * 30: "é" * 24,
}


async def test_a_nick_is_cut_to_24_characters_and_then_checked() -> None:
    """§5.1 — Max 24 chars, tronque via .slice(0, 24)"""
    async with house() as place:
        given = [(await place.enter(wished)).nick for wished in CUT]
        assert given == list(CUT.values())


NICKS = ["a", "Zoé", "a-b_c9", "Éléonore", "ÿÀÿ", "_", "-", "×÷", "99"]


async def test_letters_digits_accents_dash_and_underscore_make_a_nick() -> None:
    r"""§5.1 — Regex validation: /^[a-zA-Z0-9_\-À-ÿ]+$/"""
    async with house() as place:
        assert [(await place.enter(nick)).nick for nick in NICKS] == NICKS


NO_NICKS = [
    "a b",
    "a.b",
    "<b>x</b>",
    "日本",
    "ana\x00",
    "🙂",
    "x\u0301\u0302\u0303",
    "\u0301" * 24,
    "ａｎａ",
    "anа",  # the last letter is Cyrillic
    "a\u200bb",
    "Ā",
    " ",
    "",
]


async def test_any_other_character_makes_a_nick_invalid() -> None:
    r"""§5.1 — Regex validation: /^[a-zA-Z0-9_\-À-ÿ]+$/"""
    async with house() as place:
        given = [(await place.enter(nick)).nick for nick in NO_NICKS]
        assert given == [f"user_{number}" for number, _ in enumerate(NO_NICKS, 1)]


async def test_a_nick_that_can_be_composed_is_composed() -> None:
    r"""§5.1 — Regex validation: /^[a-zA-Z0-9_\-À-ÿ]+$/"""
    async with house() as place:
        assert (await place.enter("Zoe\u0301")).nick == "Zoé"


async def test_without_a_valid_nick_the_next_number_is_given() -> None:
    """§5.1 — Si absent ou invalide: nick auto-genere user_<counter> (compteur global incrementant)"""
    async with house() as place:
        first, named, second = await place.enter(), await place.enter("ana"), await place.enter("!")
        assert (first.nick, named.nick, second.nick) == ("user_1", "ana", "user_2")
        await second.leave()
        assert (await place.enter()).nick == "user_3"


async def test_a_number_that_somebody_chose_is_not_given_again() -> None:
    """§5.1 — Si absent ou invalide: nick auto-genere user_<counter> (compteur global incrementant)"""
    async with house() as place:
        assert (await place.enter("user_1")).nick == "user_1"
        assert (await place.enter()).nick == "user_2"


async def test_everybody_enters_general() -> None:
    """§5.1 — Canal par defaut: #general"""
    async with house() as place:
        ana = await place.enter("ana")
        answer = await ana.answer("/channels")
        assert answer["text"] == "Canaux actifs:\n  #general (1 connecte)"


async def test_a_frame_of_16_mib_is_read_and_a_larger_one_is_dropped() -> None:
    """§5.1 — Max frame size: MAX_WS_MESSAGE_BYTES = 16 * 1024 * 1024 (16 MB)"""
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        await ana.send(_message_of(MIB_16))
        assert (await ana.next())["text"] == "ok"
        await ana.send(_message_of(MIB_16 + 1))
        assert await ana.so_far() == []


def _message_of(size_bytes: int) -> str:
    """Return a message frame of that size; what fills it is a field that nobody knows."""
    bare = json.dumps({"type": "message", "text": "ok", "pad": ""})
    return json.dumps({"type": "message", "text": "ok", "pad": "x" * (size_bytes - len(bare))})
