"""Errors over HTTP have one shape."""

import logging

import pytest
from fastapi import FastAPI
from pydantic import BaseModel, field_validator
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from palabre.surfaces.http.errors import answer_errors_in_json
from palabre.testing.ids import CountingIds


class Wish(BaseModel):
    text: str

    @field_validator("text")
    @classmethod
    def _granted(cls, value: str) -> str:
        raise ValueError("wishes are not granted")


@pytest.fixture
def client() -> TestClient:
    http = FastAPI()
    answer_errors_in_json(http, CountingIds())

    @http.get("/number/{number}")
    async def _number(number: int) -> int:
        return 10 // number

    @http.post("/wish")
    async def _wish(wish: Wish) -> str:
        return wish.text

    @http.get("/busy")
    async def _busy() -> None:
        raise HTTPException(503, headers={"Retry-After": "7"})

    return TestClient(http, raise_server_exceptions=False)


def test_what_is_not_there_is_told_by_its_code(client: TestClient) -> None:
    answer = client.get("/nowhere")
    assert answer.status_code == 404
    assert answer.json() == {"ok": False, "error": "not_found"}


def test_headers_of_a_refusal_are_kept(client: TestClient) -> None:
    answer = client.get("/busy")
    assert answer.json() == {"ok": False, "error": "service_unavailable"}
    assert answer.headers["retry-after"] == "7"


def test_a_wrong_value_is_named_but_not_repeated(client: TestClient) -> None:
    answer = client.get("/number/secret")
    assert answer.status_code == 400
    body = answer.json()
    assert body["error"] == "validation_error"
    wrong = body["details"][0]
    assert wrong.pop("message")
    assert wrong == {"code": "invalid_type", "path": ["number"], "in": "path"}
    assert "secret" not in answer.text


def test_a_reason_of_ours_is_told_in_our_words_alone(client: TestClient) -> None:
    wrong = client.post("/wish", json={"text": "a"}).json()["details"][0]
    assert wrong["message"] == "wishes are not granted"


def test_what_nobody_foresaw_is_logged_under_the_reference_that_is_told(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        answer = client.get("/number/0")
    assert answer.status_code == 500
    body = answer.json()
    assert body["error"] == "internal_error"
    references = [getattr(record, "reference", "") for record in caplog.records]
    assert body["reference"] in references
    assert "ZeroDivisionError" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
