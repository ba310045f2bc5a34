import pytest

from palabre.sim.script import ScriptError
from palabre.sim.searxng import pages
from palabre.sim.searxng.demo import improvise
from palabre.sim.searxng.script import Answer, Result, parse_script


def test_every_mistake_of_a_script_is_told_at_once_with_what_may_have_been_meant() -> None:
    source = """
    delay = 1
    huge_bytes = 0
    [[answer]]
    error = "explode"
    [[answer.result]]
    titel = "x"
    url = "nowhere"
    """
    with pytest.raises(ScriptError) as caught:
        parse_script(source)
    told = "\n".join(caught.value.problems)
    assert "delay: " in told
    assert "(perhaps delay_s)" in told
    assert "huge_bytes: " in told
    assert "answer[1].error: " in told
    assert "answer[1].result[1].titel: " in told
    assert "(perhaps title)" in told
    assert "answer[1].result[1].url: " in told


def test_a_rule_fits_a_part_of_the_query_in_whatever_case() -> None:
    assert Answer(when="XENAKIS").fits("qui est Xenakis ?")
    assert not Answer(when="Boulez").fits("qui est Xenakis ?")
    assert Answer().fits("")


def test_the_same_query_finds_the_same_and_other_pages_find_other_things() -> None:
    first, second = improvise("musique concrète", 1), improvise("musique concrète", 2)
    assert first == improvise("musique concrète", 1)
    assert len({result.url for result in first + second}) == 20
    assert all("musique concrète" in result.content for result in first)
    assert improvise("musique concrète", 4) == ()
    assert improvise("  ", 1) == ()


@pytest.mark.parametrize("query", ["?", "\x00", "<script>", "a" * 5000])
def test_every_query_has_results_with_an_address(query: str) -> None:
    assert all(result.url.startswith("https://") for result in improvise(query, 1))


def test_the_lite_page_escapes_what_it_shows_and_keeps_the_address_whole() -> None:
    result = Result(title="<b>&", url="https://a.example/x?y=1&z=é", content="un <i>chat</i>")
    page = pages.lite("chat", (result,), advert=False)
    assert "&lt;b&gt;&amp;" in page
    assert "uddg=https%3A%2F%2Fa.example%2Fx%3Fy%3D1%26z%3D%C3%A9&amp;rut=" in page
    assert "un &lt;i&gt;<b>chat</b>&lt;/i&gt;" in page
