"""History, search, export, counts, errors and figures of seed 000 §15."""

import json
import logging
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.support.desk import caller, stranger
from tests.support.logged_days import DAY, Place, place, said
from tests.support.rooms import house

from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.adapters.telemetry.prometheus import PrometheusTelemetry
from palabre.core.auth.model import Role
from palabre.surfaces.admin.exported_page import palette_color

__all__ = ["place"]

ROUTES = {
    "/api/chat/channels": "",
    "/api/v2/chat/history": "",
    f"/api/v2/chat/history/{DAY}": "",
    "/api/v2/chat/search?q=bonjour": "",
    "/api/v2/export/html": "",
    "/api/v2/analytics": "ops:read",
    "/api/v2/errors": "ops:read",
}


@pytest.mark.parametrize(("path", "permission"), ROUTES.items())
async def test_each_route_wants_a_session_and_is_open_to_every_role(
    place: Place, path: str, permission: str
) -> None:
    """§15 — history, search and export need a session; figures and errors `ops:read`."""
    place.log(DAY, said("bonjour"))
    refused = await stranger(place.house).get(path)
    assert (refused.status, refused.error) == (401, "session_required")
    for role in Role:
        answer = await (await caller(place.house, role, role.value)).get(path)
        assert answer.status == 200, (role, permission, answer.text)


async def test_days_are_listed_newest_first_thirty_at_most(place: Place) -> None:
    """§15 — `GET /api/v2/chat/history`: the 30 newest days that have a log."""
    days = [(date(2026, 3, 1) + timedelta(days=number)).isoformat() for number in range(35)]
    for day in days:
        place.log(day, said("un"), said("deux"))
    data = (await place.viewer.get("/api/v2/chat/history")).data
    assert [each["date"] for each in data["files"]] == sorted(days, reverse=True)[:30]
    size = (place.data_dir / "chat-logs" / f"v2-{days[-1]}.jsonl").stat().st_size
    assert data["files"][0] == {"date": days[-1], "lines": 2, "size": size}


async def test_no_day_is_listed_before_anything_was_said(place: Place) -> None:
    """§15 — the history is empty at first."""
    assert (await place.viewer.get("/api/v2/chat/history")).data == {"files": []}


async def test_a_day_is_read_page_by_page(place: Place) -> None:
    """§15 — `GET /api/v2/chat/history/:date`: lines oldest first, `limit` 200, `offset`."""
    place.log(DAY, *(said(str(number)) for number in range(250)), "no json")
    path = f"/api/v2/chat/history/{DAY}"
    first = (await place.viewer.get(path)).data
    assert (first["total"], first["limit"], first["offset"]) == (251, 200, 0)
    assert first["messages"][0] == said("0")
    assert len(first["messages"]) == 200
    last = (await place.viewer.get(f"{path}?limit=2&offset=249")).data
    assert last["messages"] == [said("249"), {"text": "no json", "type": "raw"}]
    assert (await place.viewer.get(f"{path}?offset=900")).data["messages"] == []


@pytest.mark.parametrize(
    ("query", "status", "limit"),
    [
        ("limit=1", 200, 1),
        ("limit=1000", 200, 1000),
        ("limit=1001", 200, 1000),
        ("limit=0", 400, None),
        ("limit=-1", 400, None),
        ("limit=x", 400, None),
        ("offset=-1", 400, None),
        (f"limit={10**30}", 400, None),
        (f"offset={10**15}", 200, 200),
    ],
)
async def test_a_page_has_its_limits(
    place: Place, query: str, status: int, limit: int | None
) -> None:
    """§15 — a page has 1 to 1000 lines; a larger number is taken as that."""
    place.log(DAY, said("un"))
    answer = await place.viewer.get(f"/api/v2/chat/history/{DAY}?{query}")
    assert answer.status == status
    if status == 200:
        assert answer.data["limit"] == limit
    else:
        assert (answer.error, bool(answer.body["details"])) == ("validation_error", True)


@pytest.mark.parametrize(
    "words",
    ["hier", "2026-3-20", "2026-02-30", "20260320", "2026-W12-5", "0000-01-01", "2026-03-20x"],
)
async def test_a_date_that_is_none_is_refused(place: Place, words: str) -> None:
    """§15 — a date is `YYYY-MM-DD`: 400 `invalid_date_format`."""
    answer = await place.viewer.get(f"/api/v2/chat/history/{words}")
    assert (answer.status, answer.error) == (400, "invalid_date_format")


@pytest.mark.parametrize(
    "trick",
    [
        *("..%2F..%2Fetc%2Fpasswd", "%2e%2e%2fpalabre.db", "2026-03-20.jsonl", "v2-2026-03-20"),
        *("2026-03-20%00", "%FF%FE", "..;", "~", "2026-03-20/../../x"),
    ],
)
async def test_no_path_is_read_by_its_date(place: Place, trick: str) -> None:
    """§15 — what is no date reads no file."""
    place.log(DAY, said("secret"))
    answer = await place.viewer.get(f"/api/v2/chat/history/{trick}")
    assert answer.status in {400, 404}
    assert answer.body["ok"] is False
    assert "secret" not in answer.text and "root:" not in answer.text


async def test_a_day_of_which_nothing_is_kept_is_not_found(place: Place) -> None:
    """§15 — 404 `log_not_found`."""
    answer = await place.viewer.get("/api/v2/chat/history/2020-01-01")
    assert (answer.status, answer.error) == (404, "log_not_found")


async def test_what_was_said_is_found_newest_first(place: Place) -> None:
    """§15 — `GET /api/v2/chat/search`: `{results, query, total}`, in texts and nicks."""
    place.log("2026-03-19", said("les abeilles", day="2026-03-19"))
    place.log(DAY, said("une Abeille", hour=8), said("rien"), said("salut", "abeillaud", hour=9))
    body = await place.search("ABEILL")
    assert [each["text"] for each in body["results"]] == ["salut", "une Abeille", "les abeilles"]
    assert (body["query"], body["total"]) == ("ABEILL", 3)
    first = body["results"][0]
    assert {key: first[key] for key in ("date", "ts", "nick", "text", "type")} == {
        "date": DAY,
        "ts": f"{DAY}T09:00:00.000Z",
        "nick": "abeillaud",
        "text": "salut",
        "type": "message",
    }
    assert "ok" not in body


@pytest.mark.parametrize("words", ["", "a", " a ", "é"])
async def test_less_than_two_signs_find_nothing(place: Place, words: str) -> None:
    """§15 — a search has two signs or more."""
    place.log(DAY, said("aaa ééé"))
    body = await place.search(words)
    assert (body["results"], body["query"]) == ([], "")


async def test_a_search_without_words_finds_nothing(place: Place) -> None:
    """§15 — a search has two signs or more."""
    answer = await place.viewer.get("/api/v2/chat/search")
    assert (answer.body["results"], answer.body["query"]) == ([], "")


@pytest.mark.parametrize(
    ("query", "count"), [("", 50), ("&limit=1", 1), ("&limit=200", 200), ("&limit=999", 200)]
)
async def test_a_search_has_its_limits(place: Place, query: str, count: int) -> None:
    """§15 — 50 results, 200 at most."""
    place.log(DAY, *(said(f"mot {number}") for number in range(230)))
    body = await place.search("mot", query)
    assert (len(body["results"]), body["total"]) == (count, count)
    assert body["results"][0]["text"] == "mot 229"


async def test_pages_of_a_search_follow_each_other(place: Place) -> None:
    """Decision — `next` of a page of results is the `before` of the next one."""
    place.log(DAY, *(said(f"mot {number}") for number in range(5)))
    seen: list[str] = []
    more = "&limit=2"
    while more:
        body = await place.search("mot", more)
        seen += [each["text"] for each in body["results"]]
        more = f"&limit=2&before={body['next']}" if body["next"] else ""
    assert seen == [f"mot {number}" for number in reversed(range(5))]


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "before=0", f"q={'a' * 201}"])
async def test_a_search_that_makes_no_sense_is_refused(place: Place, query: str) -> None:
    """§15 — parameters out of their limits are refused with the limit."""
    answer = await place.viewer.get(f"/api/v2/chat/search?{query}")
    assert answer.status == 400
    assert answer.error in {"validation_error", "search_too_long"}


async def test_what_is_said_in_the_room_is_in_the_history_at_once(tmp_path: Path) -> None:
    """§3 — logs are JSONL, and can be asked for: what was said is found at once."""
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    store = await JsonlMessageStore.open(data_dir, PrometheusTelemetry())
    async with house("Bien sûr.", data_dir=data_dir, store=store) as running:
        viewer = await caller(running, Role.VIEWER, "lea")
        client = await running.enter("lea")
        await client.say("où sont les zygomatiques ?")
        await client.until_text("Bien sûr.")
        answer = await viewer.get("/api/v2/chat/search?q=zygoma")
        assert [each["text"] for each in answer.body["results"]] == ["où sont les zygomatiques ?"]
        counts = (await viewer.get("/api/v2/analytics")).data
        assert (counts["userMessages"], sum(counts["personaMessages"].values())) == (1, 1)


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> & \" ' </style> {{x}}"


async def test_the_export_holds_the_messages_escaped_and_coloured(place: Place) -> None:
    """§15 — `GET /api/v2/export/html` holds the messages, in the personas' colours."""
    place.log(DAY, said("Bonjour à tous"), said("Tears in rain", "Batty"))
    place.log(DAY, said(HOSTILE, "<b>x</b>"), said("אבג \u202e123", "משה"), said("🐝\u0000\u0007"))
    place.log(DAY, said("ailleurs", channel="#lab"), said("lea entre", type="system"))
    answer = await place.viewer.get("/api/v2/export/html")
    page = answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    disposition = answer.headers["content-disposition"]
    assert disposition == 'attachment; filename="kxkm-export-general.html"'
    for words in ("Bonjour à tous", "Tears in rain", "אבג", "🐝", "lea entre", DAY):
        assert words in page, words
    assert 'style="--c:#ef5350">Batty</b>' in page
    assert f'style="--c:{palette_color("lea")}">lea</b>' in page
    assert "ailleurs" not in page
    assert "<script" not in page and "<img" not in page and "<b>x</b>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\0" not in page and "\x07" not in page
    assert (
        "http://" not in page and "https://" not in page and "src=" not in page.split("<body>")[0]
    )
    assert "prefers-color-scheme" in page and page.rstrip().endswith("</html>")


@pytest.mark.parametrize(
    ("channel", "expected"),
    [
        ("lab", 'attachment; filename="kxkm-export-lab.html"'),
        ("#lab", 'attachment; filename="kxkm-export-lab.html"'),
        (
            'a"\r\nX-Bad: 1/../é',
            'attachment; filename="kxkm-export-a___X-Bad__1_..__.html"; '
            "filename*=UTF-8''kxkm-export-a%22%0D%0AX-Bad%3A%201%2F..%2F%C3%A9.html",
        ),
    ],
)
async def test_the_exported_file_has_a_safe_name(place: Place, channel: str, expected: str) -> None:
    """§15 — the channel stands in the attachment's name, encoded."""
    place.log(DAY, said("du labo", channel="#lab"))
    answer = await place.viewer.get(f"/api/v2/export/html?channel={quote(channel, safe='')}")
    assert answer.status == 200
    assert answer.headers["content-disposition"] == expected
    assert "x-bad" not in answer.headers
    assert ("du labo" in answer.text) == (expected.endswith('lab.html"'))


async def test_an_export_keeps_to_its_days(place: Place) -> None:
    """Decision — `since` and `until` of an export are days, both included."""
    for day in ("2026-03-18", "2026-03-19", DAY):
        place.log(day, said(f"du {day}", day=day))
    answer = await place.viewer.get("/api/v2/export/html?since=2026-03-19&until=2026-03-19")
    assert [day for day in ("18", "19", "20") if f"du 2026-03-{day}" in answer.text] == ["19"]
    wrong = await place.viewer.get("/api/v2/export/html?since=hier")
    assert (wrong.status, wrong.error) == (400, "invalid_date_format")


async def test_people_personas_uploads_and_the_room_are_counted_apart(place: Place) -> None:
    """§15 — `GET /api/v2/analytics`: real counts; people by whatever name are no personas."""
    place.log("2026-03-19", said("avant", day="2026-03-19"))
    place.log(DAY, said("un"), said("deux", "user_3"), said("trois", "Batty"), said("q", "Batty"))
    place.log(DAY, said("r", "Schaeffer"), said("note", type="system"), "no json")
    place.log(DAY, said("lea a envoyé: plan.pdf (12.0 KB)", type="system"))
    assert (await place.viewer.get("/api/v2/analytics")).data == {
        "totalMessages": 8,
        "totalDays": 2,
        "personaMessages": {"Batty": 2, "Schaeffer": 1},
        "userMessages": 3,
        "systemMessages": 1,
        "uploadsCount": 1,
        "messagesPerDay": [{"date": DAY, "count": 7}, {"date": "2026-03-19", "count": 1}],
        "topPersonas": [{"nick": "Batty", "count": 2}, {"nick": "Schaeffer", "count": 1}],
    }


async def test_errors_tell_no_words_of_people(place: Place) -> None:
    """§15 — `GET /api/v2/errors`: `{recent, counts}`; nobody reads what was said there."""
    logging.getLogger("palabre.tests.model").error("model failed on %s", "secret de lea")
    data = (await place.viewer.get("/api/v2/errors")).data
    assert data["counts"]["model"] >= 1
    assert data["recent"][0]["message"] == "model failed on %s"
    assert set(data["recent"][0]) >= {"timestamp", "label", "message", "stack", "context"}
    assert "secret" not in json.dumps(data)


async def test_figures_are_public_and_have_percentiles(place: Place) -> None:
    """§15 — `GET /api/v2/perf` is public: percentiles, requests, memory."""
    for _ in range(3):
        await stranger(place.house).get("/healthz")
    data = (await stranger(place.house).get("/api/v2/perf")).data
    http = data["percentiles"]["http"]
    assert http["count"] == data["requests"] >= 3
    assert 0 < http["p50"] <= http["p95"] <= http["p99"] <= http["maxMs"] + 0.1
    assert data["memory"]["rss_mb"] > 0
    assert data["status_codes"]["200"] >= 3


async def test_the_status_tells_who_is_there_and_who_speaks(place: Place) -> None:
    """§15 — `GET /api/v2/status` is public: version, storage, personas, engine."""
    editor = await caller(place.house, Role.EDITOR, "edith")
    await editor.post("/api/admin/personas/batty/toggle", {"enabled": False})
    data = (await stranger(place.house).get("/api/v2/status")).data
    assert data["personas"] == {"total": 3, "active": 2}
    assert set(data) == {"name", "version", "storage", "personas", "nodeEngine"}


async def test_channels_are_the_usual_ones_and_one_for_each_model(place: Place) -> None:
    """§15 — `GET /api/chat/channels`: general, admin, and one for each model."""
    assert (await place.viewer.get("/api/chat/channels")).data == [
        {"id": "general", "label": "#general", "kind": "general"},
        {"id": "admin", "label": "#admin", "kind": "admin"},
        {"id": "qwen3-8b", "label": "#qwen3-8b", "kind": "dedicated", "model": "qwen3:8b"},
    ]
