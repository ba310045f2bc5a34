from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

from palabre.core.history.model import Line
from palabre.surfaces.admin.exported_page import PALETTE, ExportedPage, palette_color

AT = datetime(2026, 3, 20, 10, tzinfo=UTC)


def line(words: str, nick: str = "lea", kind: str = "message", days: int = 0) -> Line:
    at = AT + timedelta(days=days)
    return Line(1, at.date(), at, "#general", nick, kind, words)


async def page(*lines: Line, **colors: str) -> str:
    async def pieces() -> AsyncIterator[Sequence[Line]]:
        for each in lines:
            yield [each]

    exported = ExportedPage("#<general>", "fr", colors.get)
    return b"".join([piece async for piece in exported.pieces(pieces())]).decode()


async def test_each_day_has_a_heading_and_each_nick_its_colour() -> None:
    html = await page(line("a"), line("b", "Batty"), line("c", days=1), Batty="#ef5350")
    assert html.count("<h2>") == 2 and "<h2>2026-03-21</h2>" in html
    assert '<b dir="auto" style="--c:#ef5350">Batty</b>' in html
    assert f'--c:{palette_color("lea")}">lea</b>' in html


async def test_nothing_that_was_said_is_markup() -> None:
    html = await page(
        line("</p><script>x</script>", '"><img src=x>'),
        line("</style>", kind="system"),
        x="red;background:url(x)",
    )
    body = html.split("<body>")[1]
    assert "<script" not in html and "<img" not in html and "</style>" not in body
    assert "#&lt;general&gt;" in html


async def test_a_colour_that_is_none_is_not_written() -> None:
    html = await page(line("a", "x"), x="red;background:url(x)")
    assert "url(" not in html and f"--c:{palette_color('x')}" in html


async def test_signs_that_no_page_may_hold_are_replaced() -> None:
    html = await page(line("a\x00b\x1bc\ud83d\nd"))
    assert "a\ufffdb\ufffdc?\nd" in html


async def test_an_empty_page_says_so() -> None:
    html = await page()
    assert "Rien n" in html and html.endswith("</body>\n</html>\n")


def test_a_name_has_one_colour_of_the_palette() -> None:
    assert palette_color("lea") == palette_color("lea")
    assert {palette_color(f"n{number}") for number in range(300)} == set(PALETTE)
