"""Words in pictures, as long as there is time."""

from collections.abc import Iterator

import pytest

pytest.importorskip("rapidocr", reason="the extra `ocr` is not installed")

from palabre.adapters.media.job import Job, Limits
from palabre.adapters.media.kinds.ocr import in_time, read
from palabre.testing.documents import picture_file


def clock(*pages_s: float) -> Iterator[float]:
    """Yield what a clock shows that is read at the start, and twice after each page."""
    now_s = 100.0
    yield now_s
    for page_s in pages_s:
        now_s += page_s
        yield from (now_s, now_s)


@pytest.mark.parametrize(
    ("pages_s", "limit_s", "read_pages"),
    [
        ((1, 1, 1), 10, 3),
        ((4, 4, 4), 10, 2),
        ((1, 8, 1), 10, 2),
        ((99, 1, 1), 10, 1),
        ((5, 5, 5), 15, 3),
    ],
)
def test_no_page_is_begun_that_would_not_end_in_time(
    pages_s: tuple[float, ...], limit_s: float, read_pages: int
) -> None:
    times = clock(*pages_s)
    pages = in_time([b"page"] * 3, limit_s, lambda: next(times))
    assert len(list(pages)) == read_pages


def test_pages_without_words_have_none() -> None:
    blank = picture_file(size=(200, 100))
    found = read(Job("ocr", (blank, blank), Limits(0, 60, 60))).reading
    assert (found.text, found.is_cut) == ("", False)
