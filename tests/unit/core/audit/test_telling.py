import pytest

from palabre.core.audit.chain import next_entry
from palabre.core.audit.model import Actor, Change
from palabre.core.audit.telling import described, state_of
from palabre.testing.clock import FrozenClock


def test_an_entry_is_told_with_its_states_as_objects() -> None:
    change = Change(Actor("anne", "admin", "::1"), "persona.update", "batty", {"b": 1}, {"é": "x"})
    entry = next_entry(change, FrozenClock().now(), None)
    assert described(entry) == {
        "number": 1,
        "at": "2026-03-20T10:00:00.000Z",
        "actor": "anne",
        "role": "admin",
        "address": "::1",
        "action": "persona.update",
        "target": "batty",
        "before": {"b": 1},
        "after": {"é": "x"},
        "hash": entry.hash,
        "previousHash": "0" * 64,
    }


@pytest.mark.parametrize("written", ["", "{", "7", '{"a": 1}', '{"b":1,"a":2}', '{"a":NaN}'])
def test_a_text_that_we_would_not_write_is_told_as_it_is(written: str) -> None:
    assert state_of(written) == written


def test_a_text_that_is_too_deep_to_be_read_is_told_as_it_is() -> None:
    deep = '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"
    assert state_of(deep) == deep
