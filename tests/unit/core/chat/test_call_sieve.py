from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.computing import computing_s

from palabre.core.chat.call_sieve import CallSieve
from palabre.core.models.model import ToolCall

NAMES = {"web_search"}
BARE = '{"name": "web_search", "arguments": {"query": "x"}}'
CALL = ToolCall("", "web_search", '{"query": "x"}')


def sifted(text: str, cuts: list[int] | None = None) -> tuple[str, list[ToolCall]]:
    """Return what is passed on of *text*, cut at *cuts*, and the calls in it."""
    sieve = CallSieve(NAMES)
    marks = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts or [])})
    pieces = [text[a:b] for a, b in pairwise(marks)]
    passed = "".join(map(sieve.feed, pieces)) + sieve.finish()
    return passed, sieve.calls


ANSWERS = [
    ("Bonjour.", "Bonjour.", []),
    (BARE, "", [CALL]),
    (f"```json\n{BARE}\n```", "", [CALL]),
    (f"<tool_call>\n{BARE}\n</tool_call>", "", [CALL]),
    (f"<think>je cherche {BARE}</think>\n\n{BARE}", "", [CALL]),
    (f"<think>hm</think>Je cherche.\n{BARE}", "<think>hm</think>Je cherche.\n", [CALL]),
    (f"longue pensée\nde plus</think>\n{BARE}", "longue pensée\nde plus</think>", [CALL]),
    (f"{BARE}\n{BARE}", "", [CALL, CALL]),
    (f"<tool_call>{BARE}</tool_call>\n<tool_call>{BARE}</tool_call>", "", [CALL, CALL]),
    (f"{BARE}\nLe résultat dit que oui.", "", [CALL]),
    (f"```json\n{BARE}\n```\nVoilà.\n{BARE}", "", [CALL]),
    ('{"name": "Paris"}', '{"name": "Paris"}', []),
    ('Voici :\n```json\n{"a": 1}\n```\nFin', 'Voici :\n```json\n{"a": 1}\n```\nFin', []),
    (f"Exemple : {BARE}", f"Exemple : {BARE}", []),
    ("```python\nx = {}\n```\n", "```python\nx = {}\n```\n", []),
    ('{"name": "web_search", "arg', '{"name": "web_search", "arg', []),
    ("<think>sans fin {", "<think>sans fin {", []),
]


@pytest.mark.parametrize(("answer", "passed", "calls"), ANSWERS)
def test_calls_are_taken_out_of_an_answer(answer: str, passed: str, calls: list) -> None:
    assert sifted(answer, list(range(len(answer)))) == sifted(answer)
    found, read = sifted(answer)
    assert (found, read) == (passed, calls)


@given(st.sampled_from(ANSWERS), st.lists(st.integers(0, 200), max_size=12))
def test_it_does_not_matter_how_an_answer_is_cut(answer: tuple, cuts: list[int]) -> None:
    assert sifted(answer[0], cuts) == sifted(answer[0])


@given(st.text(alphabet='{}"`<>/\\ \njsontharbeg:', max_size=80), st.lists(st.integers(0, 80)))
def test_an_answer_without_a_call_is_passed_on_whole(answer: str, cuts: list[int]) -> None:
    assert sifted(answer, cuts) == (answer, [])


def test_usual_words_are_not_held_back() -> None:
    sieve = CallSieve(NAMES)
    assert sieve.feed("B") == "B"
    assert sieve.feed("onjour.\n") == "onjour.\n"
    assert sieve.feed("Et") == "Et"


def test_no_character_of_a_call_is_passed_on_early() -> None:
    sieve = CallSieve(NAMES)
    assert [sieve.feed(char) for char in f"```json\n{BARE}"] == [""] * (len(BARE) + 8)


def test_words_behind_a_call_end_the_answer() -> None:
    sieve = CallSieve(NAMES)
    sieve.feed(BARE)
    assert not sieve.is_over
    sieve.feed("\n```\n")
    sieve.feed("Le")
    assert sieve.is_over
    assert sieve.feed(" reste") == sieve.finish() == ""


def test_without_tools_nothing_is_looked_at() -> None:
    sieve = CallSieve(())
    assert sieve.feed(BARE) == BARE
    assert sieve.calls == []


@pytest.mark.parametrize("unit", ["\n", "a\n", "\n\n{", "<think>", "mot "])
def test_a_long_answer_costs_no_more_than_its_length(unit: str) -> None:
    """Before, each line read all that was said so far: 200 000 line feeds took minutes."""
    answer = unit * (100_000 // len(unit))
    assert computing_s(lambda: CallSieve(NAMES).feed(answer)) < 3
