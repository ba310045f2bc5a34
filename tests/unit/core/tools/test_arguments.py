import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.core.tools.arguments import (
    MAX_ARGUMENTS_CHARS,
    MAX_ITEMS,
    MAX_TEXT_CHARS,
    Refusal,
    read_arguments,
)

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "count": {"type": "integer"},
            "ratio": {"type": "number"},
            "deep": {"type": "boolean"},
            "tags": {"type": "array"},
            "either": {"type": ["string", "null"]},
            "any": {},
        },
        "required": ["query"],
    }
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def read(**given: object) -> object:
    return read_arguments(SCHEMA, json.dumps(given))


def test_known_arguments_of_the_right_types_are_kept() -> None:
    given = {"query": "q", "count": 3, "ratio": 2, "deep": False, "tags": ["a"], "either": None}
    assert read(**given) == given


def test_unknown_arguments_are_left_out() -> None:
    assert read(query="q", channel="#secret", __proto__={}) == {"query": "q"}


def test_texts_are_trimmed_and_cut() -> None:
    assert read(query="  a\x1b[31m\x00b\u202e \n") == {"query": "a[31mb"}
    assert read(query="x" * 900) == {"query": "x" * MAX_TEXT_CHARS}


@pytest.mark.parametrize(
    ("name", "value"),
    [("query", 3), ("query", ["a"]), ("count", "3"), ("count", True), ("count", 1.5), ("deep", 1)],
)
def test_a_wrong_type_is_told_to_the_model(name: str, value: object) -> None:
    refused = read(**{"query": "q", name: value})
    assert isinstance(refused, Refusal)
    assert name in refused.words


@pytest.mark.parametrize("raw", ["", "{}", '{"query": ""}', '{"query": " "}', '{"query": null}'])
def test_a_missing_argument_is_told_to_the_model(raw: str) -> None:
    refused = read_arguments(SCHEMA, raw)
    assert isinstance(refused, Refusal)
    assert "query" in refused.words


@pytest.mark.parametrize("raw", ["oops", "[]", "3", "null", '"q"', "{", "[" * 5000])
def test_what_is_no_json_object_is_told_to_the_model(raw: str) -> None:
    refused = read_arguments(SCHEMA, raw)
    assert isinstance(refused, Refusal)
    assert "JSON" in refused.words


def test_arguments_have_a_greatest_length() -> None:
    refused = read_arguments(SCHEMA, '{"query": "' + "x" * MAX_ARGUMENTS_CHARS + '"}')
    assert isinstance(refused, Refusal)
    assert str(MAX_ARGUMENTS_CHARS) in refused.words


def test_what_is_nested_is_cleaned_and_bounded_too() -> None:
    deep: object = "x"
    for _ in range(20):
        deep = [deep]
    kept = read(query="q", any={"a\x00": [" b "], "deep": deep, "long": list(range(99))})
    assert isinstance(kept, dict)
    assert kept["any"]["a"] == ["b"]
    assert len(kept["any"]["long"]) == MAX_ITEMS
    assert len(json.dumps(kept["any"]["deep"])) < 20


def test_half_a_character_is_replaced() -> None:
    kept = read_arguments(SCHEMA, '{"query": "a\\ud800b"}')
    assert kept == {"query": "a?b"}


@pytest.mark.parametrize(
    "schema", ["", "[]", "{}", '{"properties": 3}', '{"properties": {"a": 3}}']
)
def test_a_schema_that_says_nothing_lets_nothing_harmful_through(schema: str) -> None:
    kept = read_arguments(schema, '{"a": " b ", "c": 1}')
    assert kept in ({}, {"a": "b"})


@given(st.text() | values.map(json.dumps))
def test_anything_is_arguments_or_a_refusal(raw: str) -> None:
    found = read_arguments(SCHEMA, raw)
    assert isinstance(found, Refusal) or json.dumps(found).encode()
