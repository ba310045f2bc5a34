"""What a body may say, whoever reads it."""

import json
from typing import Any

import pytest

from palabre.surfaces.http.json_bodies import MAX_DEPTH, MAX_INTEGER, fault_in


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


@pytest.mark.parametrize(
    ("body", "code", "path"),
    [
        (b"", "invalid_json", ()),
        (b"{", "invalid_json", ()),
        (b"{} x", "invalid_json", ()),
        (b"{'a': 1}", "invalid_json", ()),
        (b"NaN", "invalid_json", ()),
        (b'"\xff"', "invalid_json", ()),
        (b'"\x00"', "invalid_json", ()),
        (b'"\\ud800"', "invalid_json", ()),
        (b'{"a": "\\udc00\\ud800"}', "invalid_json", ()),
        ("{}".encode("utf-16"), "invalid_json", ()),
        (b'{"a": ["b", "\\u0000"]}', "invalid_string", ("a", 1)),
        (b'{"a": {"x\\u0000": 1}}', "invalid_string", ("a",)),
        (b'{"a": 9223372036854775808}', "too_big", ("a",)),
        (b'{"a": -99999999999999999999}', "too_big", ("a",)),
        (b'{"a": ' + b"9" * 5000 + b"}", "too_big", ()),
        (b"1e999", "too_big", ()),
        (nested(MAX_DEPTH + 2), "too_deep", ()),
        (nested(100_000), "too_deep", ()),
    ],
)
def test_what_no_route_could_take_is_refused(
    body: bytes, code: str, path: tuple[str | int, ...]
) -> None:
    fault = fault_in(body)
    assert fault is not None
    assert (fault.code, fault.path) == (code, path)


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        None,
        1.5,
        {"a": "été 😀"},
        {"a": [True, MAX_INTEGER, -MAX_INTEGER]},
        json.loads(nested(MAX_DEPTH)),
    ],
)
def test_all_else_is_left_to_the_route(value: Any) -> None:
    assert fault_in(json.dumps(value).encode()) is None
    assert fault_in(json.dumps(value, ensure_ascii=False).encode()) is None


def test_a_fault_does_not_repeat_the_value() -> None:
    fault = fault_in(b'{"a": "secret\\u0000"}')
    assert fault is not None
    assert "secret" not in str(fault)
