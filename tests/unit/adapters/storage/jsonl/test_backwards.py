from hypothesis import given
from hypothesis import strategies as st

from palabre.adapters.storage.jsonl.backwards import lines_backwards
from palabre.adapters.storage.jsonl.line_format import MAX_LINE_BYTES

LINE_ENDS = st.sampled_from([b"\n", b"\r\n", b"\n\n"])
WORDS = st.text(max_size=30).map(lambda words: words.encode("utf-8", "replace"))
SEPARATORS = st.sampled_from(["\u2028é", "\u2029", "\x85", "\v\f", "\0", "🎧"]).map(str.encode)
FILES = st.lists(st.one_of(WORDS, SEPARATORS, LINE_ENDS, st.binary(max_size=40))).map(b"".join)


def backwards(content: bytes, end: int, block_bytes: int, max_line_bytes: int) -> list[bytes]:
    found = list(
        lines_backwards(
            lambda count, offset: content[offset : offset + count],
            end,
            max_line_bytes=max_line_bytes,
            block_bytes=block_bytes,
        )
    )
    for start, line in found:
        assert line in (content[start : start + len(line)], b"")
    return [line for _, line in found]


@given(FILES, st.integers(1, 70))
def test_backwards_and_forwards_give_the_same_lines(content: bytes, block_bytes: int) -> None:
    lines = backwards(content, len(content), block_bytes, MAX_LINE_BYTES)
    assert lines[::-1] == content.split(b"\n")


@given(FILES, st.integers(1, 70), st.integers(0, 20))
def test_over_long_lines_come_as_empty_ones(
    content: bytes, block_bytes: int, max_line_bytes: int
) -> None:
    lines = backwards(content, len(content), block_bytes, max_line_bytes)
    expected = [line if len(line) <= max_line_bytes else b"" for line in content.split(b"\n")]
    assert lines[::-1] == expected


@given(FILES, st.data())
def test_nothing_behind_the_end_is_seen(content: bytes, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(content)))
    assert backwards(content, end, 7, 1000) == backwards(content[:end], end, 7, 1000)


@given(FILES, st.integers(1, 9))
def test_offsets_are_those_of_the_lines(content: bytes, block_bytes: int) -> None:
    starts = [
        start
        for start, _ in lines_backwards(
            lambda count, offset: content[offset : offset + count],
            len(content),
            max_line_bytes=5,
            block_bytes=block_bytes,
        )
    ]
    expected = [0, *(i + 1 for i, byte in enumerate(content) if byte == 10)]
    assert starts[::-1] == expected


def test_a_file_that_shrank_ends_the_reading() -> None:
    content = b"un\ndeux\n"
    lines = lines_backwards(
        lambda count, offset: content[offset : offset + count], 100, max_line_bytes=9, block_bytes=4
    )
    assert list(lines) == []


def test_only_the_blocks_that_are_needed_are_read() -> None:
    content = b"0123456789\n" * 1000
    read: list[int] = []

    def read_at(count: int, offset: int) -> bytes:
        read.append(count)
        return content[offset : offset + count]

    lines = lines_backwards(read_at, len(content), max_line_bytes=99, block_bytes=64)
    assert [next(lines)[1] for _ in range(5)] == [b"", *[b"0123456789"] * 4]
    assert read == [64]
