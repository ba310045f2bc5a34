import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.adapters.storage.jsonl.line_format import (
    count_chars,
    kept,
    mended,
    read_line,
    write_lines,
)
from palabre.core.chat.model import Utterance
from palabre.kernel.ids import ChannelName, Nick

GENERAL = ChannelName("#general")
AT = datetime(2026, 3, 20, 10, 0, 0, 5000, tzinfo=UTC)
MOMENTS = st.integers(0, 4_000_000_000_000).map(lambda ms: AT + timedelta(milliseconds=ms / 3))
GOOD = b'{"ts":"2026-03-20T10:00:00.005Z","nick":"lea","text":"oui","type":"message"}'


def test_the_log_line_has_the_keys_of_the_contract_in_their_order() -> None:
    line = write_lines(Utterance(AT, GENERAL, Nick("lea"), "Écoute !")).log
    assert (
        line
        == (
            '{"ts":"2026-03-20T10:00:00.005Z","channel":"#general","nick":"lea",'
            '"type":"message","text":"Écoute !"}\n'
        ).encode()
    )


def test_the_context_line_has_the_keys_of_the_contract_in_their_order() -> None:
    line = write_lines(Utterance(AT, GENERAL, Nick("lea"), "Écoute !", "system")).context
    assert (
        line
        == (
            '{"ts":"2026-03-20T10:00:00.005Z","nick":"lea","text":"Écoute !","type":"system"}\n'
        ).encode()
    )


def test_the_log_keeps_all_of_a_text_and_the_context_its_beginning() -> None:
    lines = write_lines(Utterance(AT, GENERAL, Nick("lea"), "x" * 9000))
    assert len(json.loads(lines.log)["text"]) == 9000
    assert len(json.loads(lines.context)["text"]) == 2000


@given(
    MOMENTS,
    st.text(st.characters(), max_size=24),
    st.text(st.characters(), max_size=2100),
)
def test_what_is_written_is_one_line_and_reads_back(at: datetime, nick: str, words: str) -> None:
    said = Utterance(at, GENERAL, Nick(nick), words)
    lines = write_lines(said)
    assert lines.context.endswith(b"\n")
    assert b"\n" not in lines.context[:-1] + lines.log[:-1]
    assert read_line(lines.context[:-1], GENERAL) == lines.kept
    assert lines.kept in (kept(said), kept(mended(said)))


@pytest.mark.parametrize(
    "line",
    [
        GOOD + b"\r",
        b"\xef\xbb\xbf" + GOOD,
        b"  " + GOOD,
        GOOD[:-1] + b',"seq":4,"meta":{"a":[1,null]}}',
        GOOD.replace(b',"type":"message"', b""),
        GOOD.replace(b'"message"', b'"upload"'),
        GOOD.replace(b"10:00:00.005Z", b"11:00:00.005+01:00"),
        GOOD.replace(b"005Z", b"005"),
    ],
)
def test_lines_of_other_programs_are_understood(line: bytes) -> None:
    assert read_line(line, GENERAL) == Utterance(AT, GENERAL, Nick("lea"), "oui")


def test_half_of_a_cut_emoji_does_not_lose_the_line() -> None:
    read = read_line(GOOD.replace(b"oui", b"oui \\ud83c"), GENERAL)
    assert read
    assert read.text == "oui \ufffd"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\r",
        b"\0\0\0\0",
        GOOD[:-1],
        GOOD[:20],
        b"null",
        b"[]",
        b"5",
        b"{}",
        GOOD.replace(b'"lea"', b"null"),
        GOOD.replace(b'"oui"', b"7"),
        GOOD.replace(b'"oui"', b'"\xff\xfe"'),
        GOOD.replace(b'"2026-03-20T10:00:00.005Z"', b"1774000000"),
        GOOD.replace(b"2026-03-20", b"hier"),
        GOOD.replace(b"2026-03-20T10:00:00.005Z", b"0001-01-01T00:00:00+23:00"),
        b'{"x":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    ],
)
def test_lines_without_sense_are_passed_over(line: bytes) -> None:
    assert read_line(line, GENERAL) is None
    assert count_chars(line) is None


@given(st.binary(max_size=200))
def test_no_line_whatever_makes_reading_fail(line: bytes) -> None:
    for attempt in (line, GOOD.replace(b"oui", line), GOOD.replace(b"oui", line * 30)):
        read = read_line(attempt, GENERAL)
        assert count_chars(attempt) == (read and len(read.text))
