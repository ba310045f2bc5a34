"""`POST /api/v2/uploads`: files beside the socket, by a ticket of it."""

import asyncio
from typing import Any

import httpx2
import pytest
from tests.support.rooms import Client, House, house, is_final, texts

from palabre.testing.models import Answer
from palabre.testing.reading import ScriptedReader

MIB = 1024 * 1024
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00" + bytes(16)


FORM = (
    b'--x\r\ncontent-disposition: form-data; name="file"; filename="\xc3\xa9.txt"\r\n\r\na\r\n--x--'
)


async def ticket_of(client: Client) -> str:
    await client.send({"type": "uploadTicket"})
    told = await client.until_type("uploadTicket")
    assert told["maxBytes"] == 12 * MIB
    assert "seq" not in told
    return told["ticket"]


async def send(
    place: House, ticket: str, name: str, content: bytes, **form: Any
) -> httpx2.Response:
    async with httpx2.AsyncClient(timeout=30) as http:
        return await http.post(
            f"{place.http_url}/api/v2/uploads",
            params={"lang": form.pop("lang", "fr")},
            headers={"x-upload-ticket": ticket},
            data=form,
            files={"file": (name, content, "application/x-whatever")},
        )


async def test_a_file_comes_in_by_the_ticket_of_a_connection() -> None:
    async with house("Merci.") as place:
        ana, bob = await place.company("ana", "bob")
        answer = await send(place, await ticket_of(ana), "a.txt", b"bonjour")
        assert answer.status_code == 202
        data = {"filename": "a.txt", "size": 7, "mime": "text/plain"}
        assert answer.json() == {"ok": True, "data": data}
        for client in (ana, bob):
            frames = await client.until(lambda frame: is_final(frame, "Pharmacius"))
            assert frames[0]["text"] == "ana a envoyé: a.txt (0.0 KB)"


async def test_a_ticket_is_the_same_all_the_time_and_ends_with_its_connection() -> None:
    async with house("Merci.") as place:
        ana, bob = await place.company("ana", "bob")
        ticket = await ticket_of(ana)
        assert await ticket_of(ana) == ticket
        assert await ticket_of(bob) != ticket
        await ana.leave()
        await bob.until_type("part")
        for wrong in (ticket, "", "x"):
            answer = await send(place, wrong, "a.txt", b"bonjour")
            assert answer.status_code == 401
            assert answer.json()["error"] == "ticket_unknown"


async def test_what_is_said_in_a_recording_is_what_its_sender_says() -> None:
    async with house("Bonjour !") as place:
        ana, bob = await place.company("ana", "bob")
        answer = await send(place, await ticket_of(ana), "voix.wav", WAV, purpose="speech")
        assert answer.status_code == 202
        said = await bob.until_type("message")
        assert (said["nick"], said["text"]) == ("ana", "Bonjour à tous")
        await bob.until(lambda frame: is_final(frame, "Pharmacius"))


@pytest.mark.parametrize(
    ("name", "size", "status", "error", "message"),
    [
        ("a.txt", 12 * MIB, 202, None, ""),
        ("a.txt", 12 * MIB + 1, 413, "file_size", "Upload refused — file empty or > 12 MB"),
        ("a.txt", 0, 413, "file_size", "Upload refused — file empty or > 12 MB"),
        ("a.exe", 5, 415, "extension_refused", "Extension not known"),
        ("a", 5, 415, "extension_missing", ""),
    ],
)
async def test_refusals_have_a_status_a_code_and_a_sentence(
    name: str, size: int, status: int, error: str | None, message: str
) -> None:
    async with house("Merci.", reader=ScriptedReader()) as place:
        ana = await place.enter("ana")
        answer = await send(place, await ticket_of(ana), name, b"a" * size, lang="en")
        assert answer.status_code == status
        assert answer.json().get("error") == error
        assert answer.json().get("message", "").startswith(message)


async def test_a_ticket_does_not_wait_for_the_answers_before_it() -> None:
    gate = asyncio.Event()
    async with house(Answer(("Oui.",), gate=gate)) as place:
        ana = await place.enter("ana")
        await ana.say("Bonjour")
        await ana.until_text("ecrire")
        assert await ticket_of(ana)
        gate.set()


async def test_both_ways_share_one_budget() -> None:
    async with house() as place:
        ana = await place.enter("ana")
        ticket = await ticket_of(ana)
        statuses = [
            (await send(place, ticket, "f.bin", b"\x00" * (12 * MIB))).status_code for _ in range(5)
        ]
        assert statuses == [415, 415, 415, 415, 429]
        again = await send(place, ticket, "f.bin", b"\x00" * (12 * MIB))
        assert int(again.headers["retry-after"]) > 0
        await ana.send({"type": "upload", "filename": "a.txt", "data": "A" * (4 * MIB)})
        assert texts(await ana.so_far()) == ["Upload rejeté — limite de débit dépassée (50 MB/min)"]


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"content-type": "application/json"}, b"{}"),
        ({"content-type": "multipart/form-data"}, b"x"),
        ({"content-type": "multipart/form-data; boundary=x"}, b"--x--"),
        ({"content-type": "multipart/form-data; boundary=x"}, b"--x\r\nbroken"),
        (
            {"content-type": "multipart/form-data; boundary=x"},
            b'--x\r\ncontent-disposition: form-data; name="file"\r\n\r\nno file\r\n--x--',
        ),
        (
            {"content-type": "multipart/form-data; boundary=x"},
            b'--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nodd\r\n'
            b'--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\na\r\n--x--',
        ),
        ({"content-type": "multipart/form-data; boundary=x; charset=undefined"}, FORM),
        ({"content-type": "multipart/form-data; boundary=x; charset=punycode"}, FORM),
    ],
)
async def test_what_is_no_form_is_told(headers: dict[str, str], body: bytes) -> None:
    async with house() as place, httpx2.AsyncClient() as http:
        ana = await place.enter("ana")
        answer = await http.post(
            f"{place.http_url}/api/v2/uploads",
            headers={**headers, "x-upload-ticket": await ticket_of(ana)},
            content=body,
        )
        assert (answer.status_code, answer.json()["error"]) == (400, "upload_form")


async def test_five_files_at_once_are_one_too_many() -> None:
    reader = ScriptedReader()
    reader.gate = asyncio.Event()
    async with house("Merci.", reader=reader) as place:
        ana = await place.enter("ana")
        ticket = await ticket_of(ana)
        answers = [await send(place, ticket, "a.txt", b"bonjour") for _ in range(5)]
        assert [each.status_code for each in answers] == [202] * 4 + [400]
        assert answers[-1].json()["error"] == "too_many_jobs"
        assert len(texts(await ana.so_far())) == 4, "what is not taken is not announced"
        reader.gate.set()


async def begin_slowly(place: House, ticket: str) -> asyncio.StreamWriter:
    """Begin to hand in a file that never comes to its end."""
    host, port = place.http_url.removeprefix("http://").split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    head = (
        f"POST /api/v2/uploads HTTP/1.1\r\nhost: localhost\r\nx-upload-ticket: {ticket}\r\n"
        "content-type: multipart/form-data; boundary=x\r\ncontent-length: 9999\r\n\r\n"
    )
    writer.write(head.encode() + FORM[:-9])
    await writer.drain()
    return writer


async def until_status(place: House, ticket: str, status: int) -> None:
    for _ in range(300):
        if (await send(place, ticket, "a.exe", b"bonjour")).status_code == status:
            return
        await asyncio.sleep(0.01)
    pytest.fail(f"never answered with {status}")


async def test_who_sends_slowly_keeps_nobody_else_out() -> None:
    async with house("Merci.") as place:
        ana, bob = await place.company("ana", "bob")
        hers, his = await ticket_of(ana), await ticket_of(bob)
        slow = [await begin_slowly(place, hers) for _ in range(20)]
        await until_status(place, hers, 503)
        assert (await send(place, his, "a.txt", b"bonjour")).status_code == 202
        for writer in slow:
            writer.close()
        await until_status(place, hers, 415)


async def test_who_goes_away_in_the_middle_is_no_fault_of_the_server(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with house() as place:
        ana = await place.enter("ana")
        writer = await begin_slowly(place, await ticket_of(ana))
        await asyncio.sleep(0.05)
        writer.close()
        assert await ana.rest(0.2) == []
    assert not [each for each in caplog.records if each.levelname in {"WARNING", "ERROR"}]
