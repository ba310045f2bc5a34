"""Vectors of the model registry, checked, and all of one kind."""

import math
from collections.abc import Sequence

from palabre.core.knowledge.model import EmbedderKey
from palabre.core.models.errors import OddAnswerError
from palabre.core.models.model import EmbeddingPurpose, ModelRef
from palabre.core.models.registry import ModelRegistry

_TRIAL = "palabre"


class RegistryEmbedder:
    """`TextEmbedder` over *registry*.

    Args:
        asked: Name of the wished model; another stands in where it is not installed.
    """

    def __init__(self, registry: ModelRegistry, asked: str) -> None:
        self._registry = registry
        self._asked = asked
        self._dimensions: dict[str, int] = {}

    async def key(self) -> EmbedderKey:
        ref = (await self._registry.resolve_embedder(self._asked)).ref
        if ref not in self._dimensions:
            [vector] = await self._registry.embed(ref, [_TRIAL], "question")
            self._dimensions[ref] = len(vector)
        return EmbedderKey(ref, self._dimensions[ref])

    async def embed(
        self, key: EmbedderKey, texts: Sequence[str], purpose: EmbeddingPurpose
    ) -> list[list[float]]:
        vectors = await self._registry.embed(ModelRef(key.ref), texts, purpose)
        if len(vectors) != len(texts):
            detail = f"{len(vectors)} vectors for {len(texts)} texts"
            raise OddAnswerError(service=key.ref, detail=detail)
        if any(len(vector) != key.dimensions for vector in vectors):
            self._dimensions.pop(key.ref, None)
            raise OddAnswerError(service=key.ref, detail="another number of dimensions")
        return [_unit(vector, key.ref) for vector in vectors]


def _unit(vector: Sequence[float], ref: str) -> list[float]:
    length = math.hypot(*vector)
    if not math.isfinite(length) or length == 0:
        raise OddAnswerError(service=ref, detail="a vector without direction")
    return [each / length for each in vector]
