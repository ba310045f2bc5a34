import json
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from starlette.routing import Route

from palabre.surfaces.openai.description import description
from palabre.surfaces.openai.routes import create_application

TOLD = description("1.0")


def test_every_route_is_described_and_nothing_else() -> None:
    errors = SimpleNamespace(refused=None, expected=None, unforeseen=None)
    ports: Any = SimpleNamespace(gate=None, errors=errors, version="1.0")
    routes = [each for each in create_application(ports).routes if isinstance(each, Route)]
    served = {
        (each.path.replace(":path", ""), method.lower())
        for each in routes
        for method in (each.methods or set()) - {"HEAD"}
    }
    described = {(path, method) for path, methods in TOLD["paths"].items() for method in methods}
    assert served - {("/v1/openapi.json", "get")} == described


def test_all_that_it_points_to_is_in_it() -> None:
    words = json.dumps(TOLD)
    for name in TOLD["components"]["schemas"]:
        jsonschema.Draft202012Validator.check_schema(TOLD["components"]["schemas"][name])
        assert f"#/components/schemas/{name}" in words
    pointed = {each.split('"')[0] for each in words.split("#/components/schemas/")[1:]}
    assert pointed == set(TOLD["components"]["schemas"])


@pytest.mark.parametrize(
    ("body", "fits"),
    [
        ({"model": "batty", "messages": [{"role": "user", "content": "x"}]}, True),
        ({"model": "batty", "messages": []}, False),
        ({"messages": [{"role": "user", "content": "x"}]}, False),
    ],
)
def test_the_schema_of_a_body_is_the_one_that_is_checked(body: dict, fits: bool) -> None:
    schema = TOLD | {"$ref": "#/components/schemas/ChatBody"}
    assert jsonschema.Draft202012Validator(schema).is_valid(body) is fits


def test_it_says_what_a_key_must_open_and_what_is_refused() -> None:
    chatting = TOLD["paths"]["/v1/chat/completions"]["post"]
    assert chatting["x-scope"] == "chat"
    assert "tools" in chatting["x-refused"]
    assert chatting["security"] == [{"key": []}]
    form = TOLD["components"]["schemas"]["Fields"]
    assert form["required"] == ["file"]
