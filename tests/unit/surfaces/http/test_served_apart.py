import pytest
from starlette.types import Receive, Scope, Send

from palabre.surfaces.http.served_apart import ServedApart


def named(name: str, asked: list[str]):
    async def application(_scope: Scope, _receive: Receive, _send: Send) -> None:
        asked.append(name)

    return application


@pytest.mark.parametrize(
    ("kind", "path", "name"),
    [
        ("http", "/v1/models", "apart"),
        ("http", "/v1", "apart"),
        ("http", "/v10/models", "rest"),
        ("http", "/", "rest"),
        ("http", "/api/v1", "rest"),
        ("websocket", "/v1/models", "rest"),
    ],
)
async def test_a_prefix_belongs_to_its_application_and_all_else_to_the_rest(
    kind: str, path: str, name: str
) -> None:
    asked: list[str] = []
    served = ServedApart(named("rest", asked), {"/v1": named("apart", asked)})
    await served({"type": kind, "path": path}, None, None)
    assert asked == [name]
