"""Rows of the files that people bring."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.core.engine import reading
from palabre.core.engine.artifacts import Record
from palabre.core.engine.errors import DatasetUnreadableError
from palabre.core.engine.reading import reader_of

ROWS = st.lists(st.dictionaries(st.text(max_size=5), st.text() | st.integers() | st.booleans()))


def read(file: str, whole: str, size: int = 3) -> list[Record]:
    reader = reader_of(file)
    assert reader is not None
    rows = [
        row
        for start in range(0, len(whole), size)
        for row in reader.feed(whole[start : start + size])
    ]
    return rows + reader.end()


@given(ROWS, st.integers(1, 9), st.booleans())
def test_json_comes_back_however_it_is_cut(rows: list[Record], size: int, ascii_: bool) -> None:
    lines = "".join(f"{json.dumps(row, ensure_ascii=ascii_)}\n" for row in rows)
    assert read("a.jsonl", lines, size) == rows
    assert read("a.json", json.dumps(rows, ensure_ascii=ascii_), size) == rows
    assert read("a.json", json.dumps(rows, indent=2), size) == rows


def test_one_object_alone_is_one_row() -> None:
    assert read("a.json", '{"a": 1}\n') == [{"a": 1}]


def test_a_text_is_a_row_with_a_text() -> None:
    assert read("a.json", '["un", "deux"]') == [{"text": "un"}, {"text": "deux"}]


def test_lines_end_at_newlines_alone_and_a_mark_in_front_is_no_part_of_them() -> None:
    assert read("a.jsonl", '\ufeff{"a": "x\u2028y"}\r\n\r\n{"b": 2}') == [
        {"a": "x\u2028y"},
        {"b": 2},
    ]


def test_cells_may_hold_commas_quotes_and_lines() -> None:
    whole = 'q,a\r\n"un, deux","dit ""oui""\nencore"\r\nb,c'
    assert read("a.csv", whole) == [
        {"q": "un, deux", "a": 'dit "oui"\nencore'},
        {"q": "b", "a": "c"},
    ]


def test_paragraphs_are_rows() -> None:
    assert read("a.md", "un\ndeux\n\n \ntrois") == [{"text": "un\ndeux"}, {"text": "trois"}]


@pytest.mark.parametrize(
    ("file", "whole", "line"),
    [
        ("a.jsonl", '{"a": 1}\n{"a": \n', 2),
        ("a.jsonl", "3\n", 1),
        ("a.json", '[{"a": 1}, oops]', 2),
        ("a.json", '[{"a": 1}', 2),
        ("a.json", '[{"a": 1}] more', 2),
        ("a.json", "[[1]]", 1),
        ("a.csv", "a,b\n1\n", 2),
        ("a.csv", 'a,b\n"1,2\n', 2),
        ("a.csv", 'a,b\n"1"x,2\n', 2),
    ],
)
def test_what_cannot_be_read_is_named_by_its_line(file: str, whole: str, line: int) -> None:
    with pytest.raises(DatasetUnreadableError) as caught:
        read(file, whole)
    assert (caught.value.data["file"], caught.value.data["line"]) == (file, line)


def test_a_row_without_end_is_refused_before_it_fills_the_memory() -> None:
    piece = "x" * (reading.MAX_ROW_CHARS // 2 + 1)
    for file, start in (("a.jsonl", ""), ("a.csv", ""), ("a.json", '["')):
        reader = reader_of(file)
        assert reader is not None
        reader.feed(start + piece)
        with pytest.raises(DatasetUnreadableError):
            reader.feed(piece)


def test_other_kinds_have_no_reader() -> None:
    assert reader_of("a.parquet") is None
    assert reader_of("README") is None
