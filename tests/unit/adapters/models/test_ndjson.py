import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.adapters.models.ndjson import NdjsonLines
from palabre.kernel.errors import UpstreamError

AWKWARD = "é\u2028\u2029\u0085\x0b\x0c\x1c😀"


def read(chunks: list[bytes]) -> list[bytes]:
    lines = NdjsonLines()
    return [line for chunk in chunks for line in lines.feed(chunk)] + lines.finish()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@given(
    st.lists(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from(AWKWARD))),
    st.sampled_from(["\n", "\r\n", "\n\n", "\n \r\n"]),
    st.booleans(),
    st.lists(st.integers(min_value=0, max_value=10_000)),
)
def test_any_split_gives_the_same_objects(texts, newline, ends_with_newline, places):
    lines = [json.dumps({"text": text}, ensure_ascii=False) for text in texts]
    data = newline.join(lines) + (newline if ends_with_newline else "")
    found = read(cut(data.encode(), places))
    assert [json.loads(line)["text"] for line in found] == texts


@pytest.mark.parametrize("newline", ["\u2028", "\u0085", "\x0b"])
def test_only_a_newline_ends_a_line(newline):
    assert read([f'"a{newline}b"\n'.encode()]) == [f'"a{newline}b"'.encode()]


def test_a_line_without_end_is_refused_before_it_fills_the_memory():
    lines = NdjsonLines(max_line_bytes=100)
    with pytest.raises(UpstreamError):
        for _ in range(20):
            lines.feed(b"x" * 10)


def test_many_short_lines_in_one_chunk_are_not_one_long_line():
    assert len(NdjsonLines(max_line_bytes=100).feed(b"x" * 9 + b"\n" + b"1234567890\n" * 50)) == 51
