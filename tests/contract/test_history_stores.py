"""One suite for all stores of what was said; and the index of those in databases."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.support.databases import address_of

from palabre.adapters.storage.sql.address import DatabaseAddress
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.history import postgres_search, sqlite_search
from palabre.adapters.storage.sql.history.rows import STRETCH_BITS
from palabre.adapters.storage.sql.history.sqlite_words import matching
from palabre.adapters.storage.sql.history.store import READERS, SqlHistoryStore
from palabre.adapters.storage.sql.history.writing import add_lines
from palabre.core.history.folding import asked_grams, folded
from palabre.core.history.model import Count, Day, Line, NewLine, Span, Swept, Wanted
from palabre.core.history.ports import HistoryStore
from palabre.testing.history import MemoryHistoryStore

DAY = date(2026, 3, 20)


def said(words: str, nick: str = "lea", *, day: date = DAY, **given: Any) -> NewLine:
    at = given.pop("at", datetime(day.year, day.month, day.day, 10, tzinfo=UTC))
    fields = {"channel": "#general", "kind": "message", "size_bytes": len(words.encode())}
    return NewLine(at=at, nick=nick, text=words, **fields | given)


@dataclass
class Place:
    store: HistoryStore
    database: Database | None = None

    async def add(self, *lines: NewLine) -> None:
        if self.database is None:
            assert isinstance(self.store, MemoryHistoryStore)
            self.store.add(*lines)
            return
        async with self.database.writing() as connection:
            await add_lines(connection, lines)

    async def find(self, words: str, **given: Any) -> list[str]:
        found = await self.store.search(Wanted(words, given.pop("limit", 50), **given))
        return [line.text for line in found]


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "memory":
        yield Place(MemoryHistoryStore())
        return
    database = await Database.open(address_of(request.param, request, tmp_path))
    yield Place(SqlHistoryStore(database), database)
    await database.aclose()


async def test_what_was_said_is_found_by_any_part_of_a_word_whatever_its_case_and_accents(
    place: Place,
) -> None:
    await place.add(said("Les Abeilles dansent à l'été"), said("rien"))
    for words in ("abeil", "BEILLES", "ete", "été", "l'é", "ll", "s d", "ABEILLES DANSENT A"):
        assert await place.find(words) == ["Les Abeilles dansent à l'été"], words
    assert await place.find("abeilles chantent") == []
    assert await place.find("zq") == []


async def test_a_nick_is_found_as_well_but_nothing_over_the_border_of_nick_and_text(
    place: Place,
) -> None:
    await place.add(said("bonjour", "Schaeffer"))
    assert await place.find("schaef") == ["bonjour"]
    assert await place.find("ferbon") == []
    assert await place.find("r b") == []


@pytest.mark.parametrize(
    "words",
    [
        "<script>alert('x')</script>",
        "100% \\ _ ' \" * ? AND NOT (a OR b)",
        "שלום עולם",
        "مرحبا بالعالم",
        "🐝🐝 essaim",
        "한국어 대화",
        "straße",
        "ﬁn de partie",
        "ligne\nune\ttabulée",
    ],
)
async def test_signs_of_any_kind_are_kept_and_found(place: Place, words: str) -> None:
    await place.add(said("avant"), said(f"x {words} y"), said("après"))
    assert await place.find(words) == [f"x {words} y"]
    assert await place.find(words[:2]) == [f"x {words} y"]
    assert await place.find(words[-2:]) == [f"x {words} y"]


async def test_what_no_database_keeps_does_not_stop_the_rest(place: Place) -> None:
    await place.add(said("zéro\0dedans"), said("suite"))
    assert len(await place.find("dedans")) == 1
    page = await place.store.of_day(DAY, 10, 0)
    assert page is not None and page.total == 2


async def test_the_newest_come_first_over_all_days_and_pages_follow_each_other(
    place: Place,
) -> None:
    days = [DAY + timedelta(days=number) for number in range(3)]
    for day in days:
        await place.add(*(said(f"mot {day.day} {number}", day=day) for number in range(4)))
    everything = await place.find("mot")
    assert everything == [f"mot {day.day} {n}" for day in reversed(days) for n in (3, 2, 1, 0)]
    first = await place.store.search(Wanted("mot", 5))
    second = await place.store.search(Wanted("mot", 50, before_id=first[-1].id))
    assert [line.text for line in [*first, *second]] == everything


async def test_what_very_many_lines_hold_is_found_newest_first(place: Place) -> None:
    await place.add(*(said(f"encore {number}") for number in range(1500)))
    assert await place.find("encore", limit=3) == ["encore 1499", "encore 1498", "encore 1497"]
    assert len(await place.find("encore", limit=200)) == 200


async def test_words_of_old_lines_alone_are_found_newest_first_over_long_times(
    place: Place,
) -> None:
    days = [DAY + timedelta(days=9 * number) for number in range(4)]
    for day in days:
        await place.add(*(said(f"jadis {day} {number}", day=day) for number in range(3)))
    new = DAY + timedelta(days=400)
    await place.add(*(said(f"nouveau {number}", day=new) for number in range(2100)))
    everything = [f"jadis {day} {n}" for day in reversed(days) for n in (2, 1, 0)]
    assert await place.find("jadis") == everything
    assert await place.find("jadis", limit=4) == everything[:4]
    (fourth,) = (await place.store.search(Wanted("jadis", 4)))[3:]
    assert await place.find("jadis", before_id=fourth.id, limit=5) == everything[4:9]


async def test_what_was_said_on_the_last_day_of_all_is_kept(place: Place) -> None:
    await place.add(said("fin", day=date.max), said("encore", day=date.max))
    assert await place.find("en", limit=1) == ["encore"]
    assert await _texts(place, Span("#general", since=date.max, until=date.max)) == [
        *("fin", "encore"),
    ]


async def test_names_without_end_are_cut_and_stop_nothing(place: Place) -> None:
    name = "".join(chr(0x4E00 + number * 7919 % 0x5000) for number in range(9000))
    await place.add(said("long", name, channel=f"#{name}"), said("court"))
    assert await place.find("ong") == ["long"]
    assert await place.find(name[:9]) == ["long"]


async def test_a_search_keeps_to_its_channel(place: Place) -> None:
    await place.add(said("le mot ici"), said("le mot là", channel="#lab"))
    assert await place.find("mot", channel="#lab") == ["le mot là"]
    assert await place.find("mot", channel="#ailleurs") == []
    assert await place.find("mot", channel="#la\0b") == []


async def test_days_tell_their_lines_and_bytes_the_newest_first(place: Place) -> None:
    assert await place.store.days(30) == []
    await place.add(said("un"), said("deux"), said("trois", day=DAY + timedelta(days=2)))
    expected = [Day(DAY + timedelta(days=2), 1, 5), Day(DAY, 2, 6)]
    assert await place.store.days(30) == expected
    assert await place.store.days(1) == expected[:1]


async def test_a_day_is_read_page_by_page_oldest_first(place: Place) -> None:
    await place.add(*(said(str(number)) for number in range(5)))
    page = await place.store.of_day(DAY, 2, 3)
    assert page is not None
    assert ([line.text for line in page.lines], page.total) == (["3", "4"], 5)
    beyond = await place.store.of_day(DAY, 2, 7)
    assert beyond is not None and list(beyond.lines) == []
    assert await place.store.of_day(DAY + timedelta(days=1), 2, 0) is None


async def test_a_line_comes_back_as_it_was_said(place: Place) -> None:
    at = datetime(2026, 3, 20, 23, 59, 59, 999_000, UTC)
    await place.add(said("Fin", "Léa", at=at, channel="#lab", kind="system"))
    page = await place.store.of_day(DAY, 1, 0)
    assert page is not None
    (line,) = page.lines
    assert line == Line(line.id, DAY, at, "#lab", "Léa", "system", "Fin")


async def test_the_day_is_that_of_utc(place: Place) -> None:
    late = datetime.fromisoformat("2026-03-21T00:30:00+02:00")
    await place.add(said("tard", at=late))
    assert [each.date for each in await place.store.days(5)] == [DAY]


async def test_a_span_of_a_channel_comes_whole_oldest_first(place: Place) -> None:
    days = [DAY + timedelta(days=number) for number in range(3)]
    for day in days:
        await place.add(*(said(f"{day.day}-{number}", day=day) for number in range(3)))
        await place.add(said("ailleurs", day=day, channel="#lab"))
    assert await _texts(place, Span("#general")) == [f"{d.day}-{n}" for d in days for n in range(3)]
    inside = Span("#general", since=days[1], until=days[1])
    assert await _texts(place, inside) == ["21-0", "21-1", "21-2"]
    assert await _texts(place, Span("#personne")) == []


async def test_counts_are_by_day_kind_and_nick_and_uploads_count_apart(place: Place) -> None:
    await place.add(said("a"), said("b"), said("c", "Batty"))
    await place.add(said("lea a envoyé: plan.pdf (12.0 KB)", kind="system"))
    await place.add(said("lea sent: 1.txt (0.1 KB)", kind="system"), said("note", kind="system"))
    counts = await place.store.counts(30)
    assert sorted(counts, key=lambda each: (each.kind, each.nick)) == [
        Count(DAY, "message", "Batty", 1),
        Count(DAY, "message", "lea", 2),
        Count(DAY, "system", "lea", 1),
        Count(DAY, "upload", "lea", 2),
    ]


async def test_old_days_are_forgotten_with_all_that_finds_them(place: Place) -> None:
    await place.add(*(said(f"vieux {number}", day=DAY) for number in range(600)))
    await place.add(said("vieux jour", day=DAY + timedelta(days=1)))
    kept = DAY + timedelta(days=2)
    await place.add(said("vieux mais gardé", day=kept))
    assert await place.store.older(kept) == Swept(2, 601)
    assert await place.store.forget(kept) == Swept(2, 601)
    assert await place.find("vieux") == ["vieux mais gardé"]
    assert [each.date for each in await place.store.days(9)] == [kept]
    assert await place.store.forget(kept) == Swept(0, 0)
    if place.database and place.database.address.is_sqlite:
        assert await _indexed(place.database, "vie") == 1


async def test_lines_of_one_transaction_that_fails_are_not_kept(database: Database) -> None:
    with pytest.raises(RuntimeError):
        async with database.writing() as connection:
            await add_lines(connection, [said("perdu")])
            raise RuntimeError
    store = SqlHistoryStore(database)
    assert (await store.days(1), await store.search(Wanted("perdu", 5))) == ([], [])


async def test_ids_grow_with_time_also_over_days_that_come_late(database: Database) -> None:
    async with database.writing() as connection:
        later = await add_lines(connection, [said("b"), said("c")])
        earlier = await add_lines(connection, [said("a", day=DAY - timedelta(days=1))])
    assert earlier[0] < later[0] < later[1]


FREQUENT = "bonjour"


async def test_a_search_asks_the_index_and_never_scans(database: Database) -> None:
    async with database.writing() as connection:
        lines = [said(f"{FREQUENT} numéro {number} {number * 7919}") for number in range(3000)]
        await add_lines(connection, lines)
    plans = await _plans(database, "zygomatique")
    if database.address.is_sqlite:
        assert any("VIRTUAL TABLE INDEX" in line for line in plans), plans
        assert any("INTEGER PRIMARY KEY" in line for line in plans), plans
        assert not any("TEMP B-TREE" in line for line in plans), plans
        assert not any(line.startswith("SCAN messages") for line in plans), plans
    else:
        assert any("Bitmap Index Scan on ix_messages_grams" in line for line in plans), plans
        plan = await _explained(database, postgres_search.GLANCE.format(channel=""), FREQUENT)
        assert any("Index Scan Backward using messages_pkey" in line for line in plan), plan
        assert not any("Sort" in line for line in plan), plan


async def _plans(database: Database, words: str) -> list[str]:
    find = sqlite_search.FIND if database.address.is_sqlite else postgres_search.FIND
    return await _explained(database, find.format(channel=""), words)


async def _explained(database: Database, statement: str, words: str) -> list[str]:
    is_sqlite = database.address.is_sqlite
    grams: Sequence[str] = asked_grams(folded(words))
    values = {
        "grams": matching(grams) if is_sqlite else grams,
        "words": folded(words),
        "before": 2**62,
        "limit": 50,
        "newest": 2000,
        "bits": STRETCH_BITS,
    }
    asked = {name: value for name, value in values.items() if f":{name}" in statement}
    explain = "EXPLAIN QUERY PLAN " if is_sqlite else "EXPLAIN "
    async with database.writing() as connection:
        await connection.execute(text("ANALYZE messages"))
        rows = await connection.execute(text(explain + statement), asked)
        return [str(row[-1]) for row in rows]


class WatchedDatabase(Database):
    """Tells how many read from it at once, at most."""

    reading_now = most_at_once = 0

    async def read(self, *args: Any, **kwargs: Any) -> Any:
        self.reading_now += 1
        self.most_at_once = max(self.most_at_once, self.reading_now)
        try:
            return await super().read(*args, **kwargs)
        finally:
            self.reading_now -= 1


async def test_many_who_export_leave_connections_to_those_who_ask(address: DatabaseAddress) -> None:
    database = await WatchedDatabase.open(address)
    assert isinstance(database, WatchedDatabase)
    async with database.writing() as connection:
        await add_lines(connection, [said(f"ligne {number}") for number in range(1200)])
    place = Place(SqlHistoryStore(database), database)
    exports = await asyncio.gather(*(_texts(place, Span("#general")) for _ in range(20)))
    assert {len(each) for each in exports} == {1200}
    assert database.most_at_once == READERS
    unread = [aiter(place.store.lines(Span("#general"))) for _ in range(20)]
    assert all([await anext(each) for each in unread])
    assert database.reading_now == 0, "whoever stops reading holds nothing"
    await database.aclose()


async def _texts(place: Place, span: Span) -> list[str]:
    return [line.text async for piece in place.store.lines(span) for line in piece]


async def _indexed(database: Database, words: str) -> int:
    count = text("SELECT count(*) FROM message_words WHERE message_words MATCH :grams")
    async with database.reading() as connection:
        found = await connection.execute(count, {"grams": matching([words])})
        return int(found.scalar_one())
