import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.adapters.models.sse import SseEvents
from palabre.kernel.errors import UpstreamError

TEXT = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\n"))


def read(*chunks: bytes) -> list[bytes]:
    events = SseEvents()
    return [event for chunk in chunks for event in events.feed(chunk)]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@given(
    st.lists(st.lists(TEXT, min_size=1), min_size=1),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
    st.lists(st.integers(min_value=0, max_value=10_000)),
)
def test_any_split_gives_the_same_events(events, newline, has_bom, places):
    blocks = ["".join(f"data: {line}{newline}" for line in event) for event in events]
    body = "".join(block + newline for block in blocks)
    data = ("\ufeff" if has_bom else "").encode() + body.encode()
    wanted = ["\n".join(event).encode() for event in events]
    assert read(data) == wanted
    assert read(*cut(data, places)) == wanted


def test_one_space_after_the_colon_belongs_to_the_field():
    assert read(b"data:a\ndata: b\ndata:  c\n\n") == [b"a\nb\n c"]


def test_comments_ids_kinds_and_unknown_fields_are_read_over():
    assert read(b": ping\n\nevent: x\nid: 1\nretry: 5\nfoo: bar\ndata: x\n\n") == [b"x"]


def test_a_field_without_colon_has_an_empty_value():
    assert read(b"data\ndata\n\n") == [b"\n"]


def test_an_event_without_data_is_none():
    assert read(b"event: x\n\n") == []


def test_an_event_that_the_end_cuts_is_lost():
    assert read(b"data: x\n") == []


def test_a_carriage_return_and_its_newline_may_come_apart():
    assert read(b"data: a\r", b"\ndata: b\r", b"\n\r", b"", b"\n") == [b"a\nb"]


@pytest.mark.parametrize("block", [b"x" * 10, b"data: x\n"])
def test_an_event_without_end_is_refused_before_it_fills_the_memory(block):
    events = SseEvents(max_event_bytes=100)
    with pytest.raises(UpstreamError):
        for _ in range(200):
            events.feed(block)
