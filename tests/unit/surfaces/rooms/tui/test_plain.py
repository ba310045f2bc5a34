import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from tests.support.tui import ScriptedTransport, talk

from palabre.kernel.text import text
from palabre.surfaces.rooms.tui.connection import Event, GaveUp, Lost, Waiting
from palabre.surfaces.rooms.tui.conversation import Conversation
from palabre.surfaces.rooms.tui.plain import PlainClient
from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.words import Words
from palabre.testing.clock import FrozenClock
from palabre.texts import say
from palabre.wire.rooms import (
    Audio,
    Chunk,
    Image,
    Message,
    Music,
    SendCommand,
    SendMessage,
    SendUpload,
    System,
    UploadTicket,
    UserList,
)

WORDS = Words("en")
SESSION_ENDED = (
    "Your session has ended, closed by an administrator or expired: "
    "the client asks to come in again."
)


class Plain:
    """A plain client, what it printed and what it remarked."""

    def __init__(
        self,
        quiet_s: float = 0.2,
        out: Callable[[str], None] | None = None,
        *,
        insists: bool = True,
    ) -> None:
        self.lines: list[str] = []
        self.remarks: list[str] = []
        made: list[ScriptedTransport] = []

        def connect(
            wanted: Callable[[], str | None], report: Callable[[Event], None]
        ) -> ScriptedTransport:
            made.append(ScriptedTransport(wanted, report))
            return made[-1]

        conversation = Conversation(Session("lea"), FrozenClock(), WORDS, connect)
        self.transport = made[0]
        self.client = PlainClient(
            conversation, WORDS, out or self.lines.append, self.remarks.append,
            pace_s=0, quiet_s=quiet_s, insists=insists,
        )  # fmt: skip


async def inputs(*lines: str) -> AsyncIterator[str]:
    for line in lines:
        yield line


async def endless() -> AsyncIterator[str]:
    await asyncio.Event().wait()
    yield ""


async def test_what_is_said_is_printed_once_whole_and_without_colors() -> None:
    plain = Plain()
    plain.transport.greet("lea", "marc")
    talk(plain.transport)
    plain.transport.receive(Message("Batty", "fini\ndeux", "#ef5350", 50, "r2"))
    text = "\n".join(plain.lines)
    assert "\x1b" not in text
    assert "--- before you came ---\n09:41 <Radigue> Le son continu" in text
    assert "10:00 -> zoé a rejoint #general" in text
    assert plain.lines[-1] == "10:00 <Batty> fini\n      deux"
    assert text.count("Xenakis a formalisé") == 1
    assert "brûl" not in text


async def test_lines_of_input_are_sent_in_order_and_then_the_client_leaves() -> None:
    plain = Plain()
    plain.transport.greet()
    assert await plain.client.run(inputs("bonjour\n", "\n", "/who\n"))
    assert plain.transport.sent == [SendMessage("bonjour"), SendCommand("/who")]


async def test_it_stays_until_the_answer_is_complete() -> None:
    plain = Plain(quiet_s=0.3)
    plain.transport.greet()

    async def answer() -> None:
        plain.transport.receive(Chunk("Batty", "J'ai", "#ef5350", 1, "b"))
        await asyncio.sleep(0.6)
        plain.transport.receive(Message("Batty", "J'ai vu.", "#ef5350", 5, "b"))

    async with asyncio.TaskGroup() as group:
        group.create_task(answer())
        await plain.client.run(inputs("bonjour"))
    assert plain.lines[-1] == "10:00 <Batty> J'ai vu."


async def test_who_asks_who_is_here_reads_it_once() -> None:
    plain = Plain()
    plain.transport.greet("lea", "marc")
    await plain.client.run(inputs("/who"))
    present = UserList(("lea", "marc", "Schaeffer"))
    plain.transport.receive(UserList(("lea", "zoé"), 7))
    before = list(plain.lines)
    plain.transport.receive(present, present)
    assert plain.lines == [*before, "10:00 -- Here: lea, marc; personas: Schaeffer."]


async def test_a_lost_connection_is_explained_and_what_waited_is_named() -> None:
    for reason, words in {
        "1012": "Connection lost: the server stops or restarts.",
        "1001 going": "Connection lost: the server stops or restarts.",
        "1013": "Connection lost: this line is too slow for what is said.",
        "4401 session_ended": SESSION_ENDED,
        "": "Connection lost.",
        "4000 odd": "Connection lost (4000 odd).",
    }.items():
        plain = Plain()
        plain.transport.greet()
        await plain.client.run(inputs("bonjour"))
        plain.transport.receive(Chunk("Batty", "J'ai", "#ef5350", 1, "b"))
        plain.transport.report(Lost(reason))
        assert plain.remarks[-3:-1] == [words, "Perhaps not sent: bonjour"]
        assert plain.lines[-1] == "10:00 <Batty> J'ai …"


async def test_input_waits_for_the_connection() -> None:
    plain = Plain()

    async def connect_late() -> None:
        plain.transport.report(Lost("refused"))
        plain.transport.report(Waiting(1, 1))
        await asyncio.sleep(0.1)
        assert plain.transport.sent == []
        plain.transport.greet()

    async with asyncio.TaskGroup() as group:
        group.create_task(connect_late())
        assert await plain.client.run(inputs("bonjour"))
    assert plain.transport.texts == ["bonjour"]
    assert plain.remarks[0].startswith("No server answers")
    assert plain.remarks[1:] == ["connecting…", "reconnecting in 1 s, attempt 1/20", "connected"]


async def test_it_ends_when_the_connection_is_given_up() -> None:
    plain = Plain()
    plain.transport.report(Lost("HTTP 403"))
    plain.transport.report(GaveUp())
    assert not await plain.client.run(endless())
    assert "The server refuses the connection (HTTP 403)." in plain.remarks


async def test_in_a_pipe_a_server_that_never_answered_ends_it_at_once() -> None:
    plain = Plain(insists=False)
    plain.transport.report(Lost("refused"))
    plain.transport.report(Waiting(1, 1))
    assert not await plain.client.run(endless())
    assert plain.remarks == [
        'No server answers at http://127.0.0.1:3333. "palabre serve" starts one.',
        "connecting…",
        "disconnected",
    ]


async def test_in_a_pipe_a_lost_connection_and_a_server_that_starts_are_waited_for() -> None:
    lost, starting = Plain(insists=False), Plain(insists=False)
    lost.transport.greet()
    lost.transport.report(Lost(""))
    starting.transport.report(Lost("HTTP 503"))
    for plain in (lost, starting):
        plain.transport.report(Waiting(1, 1))
        assert plain.remarks[-1] == "reconnecting in 1 s, attempt 1/20"
        plain.transport.greet()
        assert await plain.client.run(inputs("bonjour"))
        assert plain.transport.texts == ["bonjour"]


async def test_it_never_names_a_key_when_it_ends() -> None:
    plain = Plain()
    for reason in ("HTTP 403", "LOGIN rate_limited", "LOGIN invalid_credentials", "refused"):
        plain.transport.report(Lost(reason))
        plain.transport.report(GaveUp())
    told = "\n".join(plain.remarks)
    assert "disconnected" in plain.remarks
    assert "F5" not in told
    assert "Ctrl" not in told


async def test_the_end_of_a_session_is_told_once() -> None:
    plain = Plain()
    plain.transport.greet()
    before = list(plain.lines)
    plain.transport.receive(System(say(text("room.session_ended"), "fr")))
    plain.transport.report(Lost("4401 session_ended"))
    assert plain.lines == before
    assert [told for told in plain.remarks if "session" in told] == [SESSION_ENDED]


async def test_a_password_refused_after_one_was_inside_has_changed() -> None:
    plain = Plain()
    plain.transport.greet()
    plain.transport.report(Lost("LOGIN invalid_credentials"))
    plain.transport.report(GaveUp())
    assert not await plain.client.run(endless())
    told = "You are not let in, for the account or its password has changed: the one you typed"
    assert any(remark.startswith(told) for remark in plain.remarks)


async def test_it_ends_when_nobody_reads_any_more() -> None:
    def closed(_line: str) -> None:
        raise EOFError

    plain = Plain(out=closed)
    plain.transport.greet()
    assert not await plain.client.run(endless())


async def test_a_line_that_is_too_long_is_not_sent() -> None:
    plain = Plain()
    plain.transport.greet()
    await plain.client.run(inputs("x" * 8193, "y" * 8192))
    assert plain.transport.texts == ["y" * 8192]
    assert any("8193" in remark for remark in plain.remarks)


async def test_a_lone_surrogate_in_the_input_does_not_end_the_client() -> None:
    plain = Plain()
    plain.transport.greet()
    await plain.client.run(inputs("a\ud800b"))
    assert plain.transport.texts == ["a\ufffdb"]


async def test_hostile_lines_are_printed_harmless() -> None:
    plain = Plain()
    plain.transport.greet()
    plain.transport.receive(System("\x1b]0;x\x07\x1b[2Jhello", 3))
    assert plain.lines[-1] == "10:00 -- hello"


async def test_a_file_is_read_and_sent_in_the_frame_of_the_seed(tmp_path: Path) -> None:
    (tmp_path / "note de mai.txt").write_bytes(b"bonjour")
    plain = Plain()
    plain.transport.greet()
    assert await plain.client.run(inputs(f"/upload '{tmp_path}/note de mai.txt'\n"))
    (frame,) = plain.transport.sent
    assert isinstance(frame, SendUpload)
    assert (frame.filename, frame.data, frame.size) == ("note de mai.txt", "Ym9uam91cg==", 7)
    sent = ["Sending note de mai.txt (0.0 KB)…", "note de mai.txt is on its way"]
    assert [note for said in sent for note in plain.remarks if note.startswith(said)]


async def test_a_file_that_cannot_be_sent_says_why_and_what_to_do(tmp_path: Path) -> None:
    with (tmp_path / "gros.wav").open("wb") as file:
        file.truncate(12 * 1024 * 1024 + 1)
    plain = Plain()
    plain.transport.greet()
    lines = (f"/upload {tmp_path}/gros.wav\n", f"/upload {tmp_path}\n", "/upload\n")
    assert await plain.client.run(inputs(*lines))
    assert plain.transport.sent == []
    told = "\n".join(plain.remarks)
    assert "gros.wav is 12.1 MB; the limit is 12 MB. Share a smaller version." in told
    assert "is no file: give the path of a file." in told
    assert "Usage: /upload <file>" in told


async def test_media_are_named_and_never_printed() -> None:
    plain = Plain()
    plain.transport.greet()
    data = "QUJD" * 2000
    plain.transport.receive(Image("Batty", "un phare", data, "image/png"))
    plain.transport.receive(Music("Batty", "la mer", data, "audio/wav"))
    plain.transport.receive(Audio("Batty", data, "audio/wav"))
    plain.transport.receive(UploadTicket("t1", 12))
    assert plain.lines[-2:] == [
        "10:00 <Batty> un phare  (image/png, 5 kB)  /save 1",
        "10:00 <Batty> la mer  (audio/wav, 5 kB)  /save 2",
    ]


async def test_a_picture_is_saved_and_a_number_that_is_gone_is_told(tmp_path: Path) -> None:
    plain = Plain()
    plain.transport.greet()
    for number in range(9):
        plain.transport.receive(Image("Batty", f"phare {number}", "QUJD", "image/png"))
    lines = (f"/save 9 {tmp_path}\n", f"/save 9 {tmp_path}\n", "/save 1\n", "/save\n")
    assert await plain.client.run(inputs(*lines))
    file = tmp_path / "palabre-9.png"
    assert file.read_bytes() == b"ABC"
    assert plain.transport.sent == []
    told = [note for note in plain.remarks if note != "connected"]
    assert told[0] == f"Kept in {file}."
    assert told[1] == f"{file} exists already: give another name."
    assert told[2].startswith("Number 1 is not here")
    assert told[3].startswith("Usage: /save <number>")
