import base64

import pytest

from palabre.adapters.storage.backup.rows import read_row, write_row


@pytest.mark.parametrize("is_postgres", [True, False])
def test_what_is_written_is_read_again(is_postgres: bool) -> None:
    row = [None, "é \u2028", 2**63 - 1, 1.5, True, b"\x00\xff"]
    line = write_row(row, [False] * 6)
    assert line.endswith(b"]\n")
    assert read_row(line[:-1], [False] * 6, is_postgres=is_postgres) == row


def test_a_vector_goes_from_one_database_into_the_other() -> None:
    of_postgres = write_row(["[0.5,-1,0.1]"], [True])
    stored = read_row(of_postgres, [True], is_postgres=False)[0]
    assert isinstance(stored, bytes)
    assert write_row([stored], [True]) == of_postgres
    (vector,) = read_row(of_postgres, [True], is_postgres=True)
    assert vector == pytest.approx([0.5, -1, 0.1])


def test_nul_is_replaced_where_the_database_does_not_keep_it() -> None:
    line = write_row(["a\0b"], [False])
    assert read_row(line, [False], is_postgres=True) == ["a\ufffdb"]
    assert read_row(line, [False], is_postgres=False) == ["a\0b"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[1",
        b"[1,2]",
        b"[[1]]",
        b"[9223372036854775808]",
        b"[1e400]",
        b'[{"b64":"?"}]',
        b'[{"x":"eA=="}]',
        b'[{"b64":"eA==","f32":""}]',
        b"[" * 5000,
    ],
)
def test_a_line_that_makes_no_sense_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):
        read_row(line, [False], is_postgres=False)


def test_a_vector_of_half_a_number_is_refused() -> None:
    line = b'[{"f32":"' + base64.b64encode(b"abc") + b'"}]'
    with pytest.raises(ValueError):
        read_row(line, [True], is_postgres=True)
