"""Who may ask `/v1`, how much, and how errors are told."""

import asyncio

import httpx2
import openai
import pytest
from tests.support.programs import BONJOUR, key_for, program, until

from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.api_keys import Scope
from palabre.testing.models import Answer


async def test_personas_are_the_models() -> None:
    async with program() as asked:
        listed = await asked.client.models.list()
        assert [each.id for each in listed.data] == ["schaeffer", "batty", "pharmacius"]
        one = await asked.client.models.retrieve("batty")
        assert (one.object, one.owned_by) == ("model", "palabre")
        with pytest.raises(openai.NotFoundError) as caught:
            await asked.client.models.retrieve("gpt-4o")
        assert caught.value.code == "model_not_found"


async def test_a_key_opens_its_scopes_and_nothing_else() -> None:
    async with program("Salut.", scopes=(Scope.EMBEDDINGS,)) as asked:
        await asked.client.models.list()
        await asked.client.embeddings.create(model="default", input="x")
        with pytest.raises(openai.PermissionDeniedError) as caught:
            await asked.client.chat.completions.create(model="schaeffer", messages=BONJOUR)
        assert "chat" in caught.value.message
        for secret in ("", "pal_wrong"):
            async with httpx2.AsyncClient(base_url=asked.place.http_url) as client:
                answer = await client.get(
                    "/v1/models",
                    headers={"Authorization": f"bearer {secret}" if secret else "Basic x"},
                )
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert answer.json()["error"]["code"] == "invalid_api_key"


async def test_a_revoked_key_is_refused_at_once() -> None:
    async with program("Salut.") as asked:
        await asked.client.models.list()
        await asked.place.app.api_keys.revoke(THE_MACHINE, "program")
        with pytest.raises(openai.AuthenticationError):
            await asked.client.models.list()


async def test_a_key_that_asks_too_much_is_told_when_to_come_again() -> None:
    async with program("Salut.") as asked:
        for _ in range(60):
            answer = await asked.post("/v1/embeddings", json={"model": "default", "input": "x"})
            assert answer.status_code == 200
        with pytest.raises(openai.RateLimitError) as caught:
            await asked.client.models.list()
        assert caught.value.code == "rate_limit_exceeded"
        assert 0 < int(caught.value.response.headers["retry-after"]) <= 60
        other = await key_for(asked.place, name="other")
        async with openai.AsyncOpenAI(
            base_url=f"{asked.place.http_url}/v1", api_key=other
        ) as client:
            await client.models.list()


async def test_a_key_has_four_answers_at_once() -> None:
    gate = asyncio.Event()
    async with program(Answer(("Salut.",), gate=gate)) as asked:

        async def ask():
            return await asked.client.chat.completions.create(model="batty", messages=BONJOUR)

        async with asyncio.TaskGroup() as tasks:
            asking = [tasks.create_task(ask()) for _ in range(4)]
            await until(lambda: asked.provider.open_calls == 4)
            with pytest.raises(openai.RateLimitError):
                await ask()
            gate.set()
        assert {each.result().choices[0].message.content for each in asking} == {"Salut."}
        await ask()


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "code"),
    [
        ("GET", "/v1/nothing", {}, 404, "not_found"),
        ("GET", "/v1", {}, 404, "not_found"),
        ("DELETE", "/v1/models", {}, 405, "method_not_allowed"),
        ("GET", "/v1/chat/completions", {}, 405, "method_not_allowed"),
        ("POST", "/v1/chat/completions", {"content": b"{"}, 415, "api_body_type"),
        (
            "POST", "/v1/chat/completions",
            {"content": b"{", "headers": {"content-type": "application/json"}},
            400, "api_body_unreadable",
        ),
        ("POST", "/v1/chat/completions", {"json": [1]}, 400, "api_body_unreadable"),
        ("POST", "/v1/chat/completions", {"json": {"messages": BONJOUR}}, 400, "invalid_value"),
        ("POST", "/v1/audio/transcriptions", {"json": {}}, 415, "api_body_type"),
        ("POST", "/v1/audio/transcriptions", {"files": {"x": b"y"}}, 400, "invalid_value"),
        (
            "POST", "/v1/audio/transcriptions",
            {"content": b"x", "headers": {"content-type": "multipart/form-data"}},
            400, "api_body_unreadable",
        ),
        (
            "POST", "/v1/chat/completions",
            {"content": b" " * (20 * 1024 * 1024 + 1), "headers": {"content-type": "application/json"}},
            413, "api_body_too_large",
        ),
    ],
)  # fmt: skip
async def test_every_error_has_the_protocols_shape(
    method: str, path: str, sent: dict, status: int, code: str
) -> None:
    async with program() as asked, httpx2.AsyncClient(base_url=asked.place.http_url) as client:
        headers = {"Authorization": f"Bearer {asked.secret}"} | sent.pop("headers", {})
        answer = await client.request(method, path, headers=headers, **sent)
        assert answer.status_code == status
        error = answer.json()["error"]
        assert set(error) == {"message", "type", "param", "code"}
        assert error["code"] == code
        assert error["message"]
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_the_routes_are_described_to_whoever_asks() -> None:
    async with program() as asked, httpx2.AsyncClient(base_url=asked.place.http_url) as client:
        told = (await client.get("/v1/openapi.json")).json()
        assert told["openapi"].startswith("3.1")
        assert "/v1/chat/completions" in told["paths"]


async def test_mistakes_are_told_in_one_language() -> None:
    async with program() as asked:
        sent = {"model": "batty", "messages": BONJOUR, "max_tokens": 0}
        answer = await asked.post("/v1/chat/completions", json=sent)
        told = answer.json()["error"]["message"]
        assert told == "« max_tokens » ne convient pas : au moins 1."
