"""Vectors of the model registry, checked, and all of one kind."""

import math
from collections.abc import Sequence

from palabre.core.knowledge.model import EmbedderChoice, EmbedderKey
from palabre.core.knowledge.ports import KnowledgeStore, WishedEmbedder
from palabre.core.models.errors import OddAnswerError
from palabre.core.models.model import EmbeddingPurpose, ModelRef
from palabre.core.models.registry import ModelRegistry
from palabre.kernel.errors import UpstreamError

_TRIAL = "palabre"


class RegistryEmbedder:
    """`WishedEmbedder` over *registry*; *wished* is a name as the registry takes it."""

    def __init__(self, registry: ModelRegistry, wished: str) -> None:
        self._registry = registry
        self.wished = wished
        self._dimensions: dict[str, int] = {}

    async def is_here(self, key: EmbedderKey) -> bool:
        return any(info.ref == key.ref for info in await self._registry.models())

    async def key(self) -> EmbedderKey:
        ref = (await self._registry.resolve_embedder(self.wished)).ref
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


class IndexEmbedder:
    """`TextEmbedder` that stays with the model whose vectors are there.

    A model that comes or goes changes nothing: while the chosen one is away, words must do.
    """

    def __init__(self, store: KnowledgeStore, embedder: WishedEmbedder) -> None:
        self._store = store
        self._embedder = embedder
        self._has_followed = False

    async def chosen(self) -> EmbedderKey | None:
        """Return whose vectors are there; None before the first choice."""
        choice = await self._store.choice()
        return choice.key if choice else None

    async def is_here(self) -> bool:
        """Say whether the chosen model, or one to choose, can make vectors now."""
        key = await self.chosen()
        if key is not None:
            return await self._embedder.is_here(key)
        try:
            return bool(await self._embedder.key())
        except UpstreamError:
            return False

    async def key(self) -> EmbedderKey:
        """Return whose vectors are there; choose where none are yet.

        Raises:
            UpstreamError: There is none to choose.
        """
        return await self.chosen() or await self._choose_instead_of(None)

    async def follow_setting(self) -> None:
        """Choose what the setting wishes for, where it changed and as soon as that is here.

        Once in the life of a process: others may have other settings.
        """
        choice = await self._store.choice()
        if choice is None or self._has_followed:
            return
        if choice.wished != self._embedder.wished:
            try:
                key = await self._embedder.key()
            except UpstreamError:
                return
            if not _is_called(key.ref, self._embedder.wished):
                return
            await self._store.choose(EmbedderChoice(key, self._embedder.wished), choice)
        self._has_followed = True

    async def choose(self) -> EmbedderKey:
        """Choose anew: the wished model, or the one that stands in for it now.

        Raises:
            UpstreamError: There is none.
        """
        return await self._choose_instead_of(await self._store.choice())

    async def try_out(self) -> EmbedderKey:
        """Return whose vectors are there, once it has made another.

        Raises:
            UpstreamError: It does not, or there is none to choose.
        """
        key = await self.key()
        await self.embed(key, [_TRIAL], "question")
        return key

    async def embed(
        self, key: EmbedderKey, texts: Sequence[str], purpose: EmbeddingPurpose
    ) -> list[list[float]]:
        return await self._embedder.embed(key, texts, purpose)

    async def _choose_instead_of(self, old: EmbedderChoice | None) -> EmbedderKey:
        new = EmbedderChoice(await self._embedder.key(), self._embedder.wished)
        return (await self._store.choose(new, old)).key


def _is_called(ref: str, name: str) -> bool:
    """Say whether *name*, with or without a provider and `:latest`, means the model *ref*."""
    plain = ref.removesuffix(":latest")
    return name.removesuffix(":latest") in {plain, plain.partition("/")[2]}


def _unit(vector: Sequence[float], ref: str) -> list[float]:
    length = math.hypot(*vector)
    if not math.isfinite(length) or length == 0:
        raise OddAnswerError(service=ref, detail="a vector without direction")
    return [each / length for each in vector]
