from hypothesis import given
from hypothesis import strategies as st

from palabre.core.web.hits import MAX_SNIPPET_CHARS, MAX_TITLE_CHARS, as_lines, first_hits, to_hit
from palabre.core.web.model import SearchHit

URL = "https://example.org/a"
anything = st.none() | st.integers() | st.text() | st.lists(st.text())


def test_results_are_numbered_and_set_in_as_the_seed_shows_them() -> None:
    hits = [SearchHit("Un", "Le premier.", URL), SearchHit("Deux", "Le second.", f"{URL}/2")]
    assert as_lines(hits) == (
        "1. Un\n   Le premier.\n   https://example.org/a\n\n"
        "2. Deux\n   Le second.\n   https://example.org/a/2"
    )


def test_a_result_without_a_snippet_has_no_empty_line() -> None:
    assert as_lines([SearchHit("Un", "", URL)]) == "1. Un\n   https://example.org/a"
    assert as_lines([]) == ""


def test_only_addresses_of_the_web_are_results() -> None:
    bad = (
        "javascript:alert(1)",
        "ftp://x",
        "/lite/",
        "",
        None,
        3,
        f"{URL} x",
        f"{URL}\n2",
        "x" * 9999,
    )
    assert [to_hit("t", "s", url) for url in bad] == [None] * len(bad)


def test_a_missing_title_is_the_address() -> None:
    assert to_hit(None, 7, f" {URL} ") == SearchHit(URL, "", URL)


def test_unseen_characters_and_line_ends_are_blanks() -> None:
    hit = to_hit("a\x1b[31m\n\u202eb", "1\r\n\r\n2\u2028 3", URL)
    assert hit == SearchHit("a [31m b", "1 2 3", URL)


def test_an_address_is_shown_once_and_so_many_at_the_most() -> None:
    rows = [None, to_hit("a", "", URL), to_hit("b", "", URL), to_hit("c", "", f"{URL}/2")]
    assert [hit.title for hit in first_hits(rows, 5)] == ["a", "c"]
    assert [hit.title for hit in first_hits(rows, 1)] == ["a"]


@given(anything, anything, anything)
def test_whatever_comes_is_short_and_on_one_line(
    title: object, snippet: object, url: object
) -> None:
    for hit in (to_hit(title, snippet, url), to_hit(title, snippet, URL)):
        if hit is not None:
            assert len(hit.title) <= max(MAX_TITLE_CHARS, len(hit.url))
            assert len(hit.snippet) <= MAX_SNIPPET_CHARS
            assert "\n" not in hit.title + hit.snippet + hit.url
