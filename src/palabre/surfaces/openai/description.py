"""`/v1/openapi.json`: what the routes of `/v1` take and answer; `/docs` shows it. Needs no key."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any

from pydantic.json_schema import models_json_schema
from starlette.requests import Request
from starlette.responses import JSONResponse

from palabre.core.auth.api_keys import Scope
from palabre.surfaces.openai import chat, embeddings, responses_body, speech, transcriptions
from palabre.surfaces.openai.json_body import Body, Harmless

DESCRIPTION = (
    "Each persona is a model. Answers and errors have the shape of the OpenAI protocol; what "
    "is ours in them is named in `docs/api.md`. `x-scope` is what the key must open, "
    "`x-refused` what is refused by its name; other parameters are passed over."
)

_Json = dict[str, Any]
_REFS = "#/components/schemas/{model}"
_JSON, _FORM = "application/json", "multipart/form-data"
_STREAM = "text/event-stream"

_ERROR: _Json = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": "string"},
            },
        }
    },
}
_REFUSALS = {
    "401": "There is no key, or it opens nothing",
    "429": "The key asks too much; try again after `Retry-After`",
    "default": "Any other error",
}


@cache
def description(version: str) -> _Json:
    """Return the description; making it takes a while, the first time."""
    bodies: list[type[Body]] = [
        chat.ChatBody,
        responses_body.ResponsesBody,
        embeddings.EmbeddingsBody,
        speech.SpeechBody,
        transcriptions.Fields,
    ]
    _, schemas = models_json_schema([(body, "validation") for body in bodies], ref_template=_REFS)
    fields = schemas["$defs"][transcriptions.Fields.__name__]
    fields["properties"]["file"] = {"type": "string", "format": "binary"}
    fields["required"] = ["file"]
    return {
        "openapi": "3.1.0",
        "info": {"title": "Palabre, for programs", "version": version, "description": DESCRIPTION},
        "paths": _paths(),
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "schemas": {**schemas["$defs"], "Error": _ERROR},
        },
    }


def _paths() -> _Json:
    asked, heard = Scope.CHAT, Scope.AUDIO
    named = {"name": "model", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "/v1/models": {"get": _operation("List the personas who answer")},
        "/v1/models/{model}": {"get": {**_operation("Tell of one persona"), "parameters": [named]}},
        "/v1/chat/completions": {
            "post": _taking(chat.ChatBody, "Ask a persona", asked, chat.REFUSED, _JSON, _STREAM)
        },
        "/v1/responses": {
            "post": _taking(
                responses_body.ResponsesBody,
                "Ask a persona, in the newer protocol",
                asked,
                responses_body.REFUSED,
                _JSON,
                _STREAM,
            )
        },
        "/v1/embeddings": {
            "post": _taking(
                embeddings.EmbeddingsBody,
                "Make vectors of texts",
                Scope.EMBEDDINGS,
                embeddings.REFUSED,
                _JSON,
            )
        },
        "/v1/audio/speech": {
            "post": _taking(
                speech.SpeechBody, "Say a text", heard, speech.REFUSED, "audio/wav", "audio/pcm"
            )
        },
        "/v1/audio/transcriptions": {
            "post": _taking(
                transcriptions.Fields,
                "Write a recording down",
                heard,
                transcriptions.REFUSED,
                _JSON,
                "text/plain",
            )
        },
    }


def _taking(
    body: type[Body], summary: str, scope: Scope, refused: Harmless, *answers: str
) -> _Json:
    sent = _FORM if body is transcriptions.Fields else _JSON
    content = {sent: {"schema": {"$ref": _REFS.format(model=body.__name__)}}}
    return {
        **_operation(summary, *answers),
        "requestBody": {"required": True, "content": content},
        "x-scope": scope.value,
        "x-refused": list(refused),
    }


def _operation(summary: str, *answers: str) -> _Json:
    error = {_JSON: {"schema": {"$ref": _REFS.format(model="Error")}}}
    answered: Mapping[str, _Json] = {kind: {} for kind in answers or (_JSON,)}
    return {
        "summary": summary,
        "tags": ["programs"],
        "security": [{"key": []}],
        "responses": {
            "200": {"description": "As the protocol has it", "content": answered},
            **{
                status: {"description": meaning, "content": error}
                for status, meaning in _REFUSALS.items()
            },
        },
    }


def tell(version: str) -> Callable[[Request], Awaitable[JSONResponse]]:
    """Return the route that tells the description of *version*."""

    async def told(_request: Request) -> JSONResponse:
        return JSONResponse(await asyncio.to_thread(description, version))

    return told
