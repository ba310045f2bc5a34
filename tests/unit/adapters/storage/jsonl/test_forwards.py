import pytest

from palabre.adapters.storage.jsonl import forwards
from palabre.adapters.storage.jsonl.forwards import lines_forwards

CONTENT = b"un\n\ndeux\xe2\x80\xa8\r\n" + b"x" * 50 + b"\ntrois\nreste"


def read(start: int = 0, end: int = len(CONTENT)) -> list[tuple[int, bytes]]:
    def read_at(count: int, offset: int) -> bytes:
        return CONTENT[offset : offset + count]

    return list(lines_forwards(read_at, start, end, max_line_bytes=20))


@pytest.mark.parametrize("block_bytes", [1, 2, 3, 7, 1000])
def test_lines_come_with_where_they_end_whatever_the_blocks(
    block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forwards, "BLOCK_BYTES", block_bytes)
    found = read()
    assert [line for _, line in found] == [b"un", b"", b"deux\xe2\x80\xa8\r", b"", b"trois"]
    assert [CONTENT[end - 1 : end] for end, _ in found] == [b"\n"] * 5
    assert read(3) == found[1:]
    assert read(0, 5) == found[:2]
    assert read(0, 10_000) == found
