"""`POST /v1/embeddings`: texts become vectors."""

import asyncio
import base64
import struct
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from palabre.core.auth.api_keys import ApiKey
from palabre.core.models.model import EmbeddingPurpose, ModelInfo
from palabre.core.models.token_count import estimated_tokens
from palabre.kernel.text import text
from palabre.surfaces.http.numbers import WHOLE
from palabre.surfaces.openai.errors import NoSuchEmbedderError, ParameterInvalidError
from palabre.surfaces.openai.json_body import Body, Harmless, Name, checked, read_json
from palabre.surfaces.openai.ports import Ports

OURS = "default"
"""Instead of a model's name: the one that documents are found by."""

MAX_TEXTS = 256
MAX_TEXT_CHARS = 32_000
MAX_CHARS = 400_000
"""Of all texts together."""

REFUSED: Harmless = {}

Input = Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS)]


class EmbeddingsBody(Body):
    """What is asked; `purpose` is ours: some models read a question in another way."""

    model: Name
    input: Input | Annotated[list[Input], Field(min_length=1, max_length=MAX_TEXTS)]
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: Annotated[int, Field(strict=True, ge=1), WHOLE] | None = None
    purpose: EmbeddingPurpose = "passage"

    @property
    def texts(self) -> list[str]:
        """All texts, be it one."""
        return [self.input] if isinstance(self.input, str) else self.input


class EmbeddingsRoute:
    """Makes vectors with the model that documents are found by, or another one."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def read(self, request: Request) -> EmbeddingsBody:
        """Return what is asked."""
        raw = await read_json(request)
        _refuse_tokens(raw.get("input"))
        body = checked(raw, EmbeddingsBody, REFUSED)
        if sum(map(len, body.texts)) > MAX_CHARS:
            raise ParameterInvalidError("input", text("api.value.chars", limit=MAX_CHARS))
        return body

    async def answer(self, body: EmbeddingsBody, _key: ApiKey) -> Response:
        """Return a vector for each text."""
        info = await self._embedder(body.model)
        vectors = await self._ports.models.embed(info.ref, body.texts, body.purpose)
        _check_dimensions(body.dimensions, len(vectors[0]))
        told = await asyncio.to_thread(_told, vectors, body, info)
        return Response(told, media_type="application/json")

    async def _embedder(self, name: str) -> ModelInfo:
        wished = self._ports.embedder if name in {OURS, ""} else name
        info = await self._ports.models.resolve_embedder(wished)
        plain = str(info.ref).removesuffix(":latest")
        names = {plain, plain.partition("/")[2]}
        if name not in {OURS, ""} and name.removesuffix(":latest") not in names:
            raise NoSuchEmbedderError(model=name[:100], known=info.ref, param="model")
        return info


def _refuse_tokens(given: Any) -> None:
    inner = given[0] if isinstance(given, list) and given else None
    if isinstance(inner, int | list):
        raise ParameterInvalidError("input", text("api.value.tokens"))


def _check_dimensions(wished: int | None, made: int) -> None:
    if wished not in {None, made}:
        raise ParameterInvalidError("dimensions", text("api.value.dimensions", made=made))


def _told(vectors: list[list[float]], body: EmbeddingsBody, info: ModelInfo) -> bytes:
    encoding = body.encoding_format or "float"
    data = [
        {"object": "embedding", "index": place, "embedding": _encoded(vector, encoding)}
        for place, vector in enumerate(vectors)
    ]
    tokens = sum(map(estimated_tokens, body.texts))
    usage = {"prompt_tokens": tokens, "total_tokens": tokens, "estimated": True}
    told = {"object": "list", "data": data, "model": info.ref, "usage": usage}
    return msgspec.json.encode(told)


def _encoded(vector: list[float], encoding: str) -> str | list[float]:
    if encoding == "float":
        return [float(each) for each in vector]
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
