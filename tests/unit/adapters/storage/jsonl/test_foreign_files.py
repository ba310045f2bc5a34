import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.messages import (
    GENERAL,
    TEN,
    context_of,
    line,
    opened,
    said,
    texts,
)

from palabre.core.chat.model import ChannelStats, Utterance
from palabre.kernel.ids import Nick
from palabre.testing.messages import MemoryMessageStore


async def test_a_torn_last_line_is_ended_before_the_next_append(tmp_path: Path) -> None:
    path = context_of(tmp_path, line("un") + b"\n" + line("deux")[:-9])
    async with opened(tmp_path) as store:
        assert texts(await store.latest(GENERAL, 20)) == ["un"]
        assert (await store.stats(GENERAL)).messages == 1
        await store.append(said("trois"))
        assert texts(await store.latest(GENERAL, 20)) == ["un", "trois"]
        assert (await store.stats(GENERAL)).messages == 2
    assert path.read_bytes().count(b"\n") == 3
    async with opened(tmp_path) as store:
        assert texts(await store.latest(GENERAL, 20)) == ["un", "trois"]
        assert (await store.stats(GENERAL)).messages == 2


async def test_a_last_line_that_only_lacks_its_end_counts(tmp_path: Path) -> None:
    context_of(tmp_path, line("un"))
    async with opened(tmp_path) as store:
        assert texts(await store.latest(GENERAL, 20)) == ["un"]
        await store.append(said("deux"))
        assert texts(await store.latest(GENERAL, 20)) == ["un", "deux"]
        assert (await store.stats(GENERAL)).messages == 2


async def test_lines_without_sense_are_passed_over(tmp_path: Path) -> None:
    odd = [b"\xef\xbb\xbf" + line("un") + b"\r", b"", b"oops", b"x" * 300_000, b"\0" * 999]
    context_of(tmp_path, b"\n".join([*odd, line("deux"), b"[1]", b"\r", line("trois"), b""]))
    async with opened(tmp_path) as store:
        assert texts(await store.latest(GENERAL, 20)) == ["un", "deux", "trois"]
        assert texts(await store.within(GENERAL, 9)) == ["deux", "trois"]
        assert await store.stats(GENERAL) == ChannelStats(messages=3, chars=11)


LEFT_LINES = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=60).map(line),
    st.sampled_from(["\u2028", "a\u2029b", "\x85", "é\u2028🎧", "\r\n"]).map(
        lambda words: json.dumps(
            {"ts": "2026-03-20T10:00:00Z", "nick": "b", "text": words}, ensure_ascii=False
        ).encode()
    ),
    st.binary(max_size=40).map(lambda junk: junk.replace(b"\n", b"")),
)


@given(
    left=st.lists(LEFT_LINES, max_size=40),
    end=st.sampled_from([b"\n", b"\r\n"]),
    is_torn=st.booleans(),
    count=st.integers(1, 50),
    budget=st.integers(0, 500),
)
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_any_file_reads_as_a_plain_forward_reader_would(
    tmp_path_factory: pytest.TempPathFactory,
    left: list[bytes],
    end: bytes,
    is_torn: bool,
    count: int,
    budget: int,
) -> None:
    data = tmp_path_factory.mktemp("data")
    context_of(data, end.join(left) + (b"" if is_torn else end))
    model = MemoryMessageStore()
    for content in left:
        if (text := plainly(content)) is not None:
            await model.append(Utterance(TEN, GENERAL, Nick("b"), text))
    async with opened(data) as store:
        for said_next in (None, "encore", "et encore"):
            if said_next is not None:
                await store.append(said(said_next))
                await model.append(said(said_next))
            assert texts(await store.latest(GENERAL, count)) == texts(
                await model.latest(GENERAL, count)
            )
            assert texts(await store.within(GENERAL, budget)) == texts(
                await model.within(GENERAL, budget)
            )
            assert await store.stats(GENERAL) == await model.stats(GENERAL)


def plainly(content: bytes) -> str | None:
    try:
        found = json.loads(content)
        return str(found["text"])
    except (ValueError, LookupError, TypeError):
        return None
