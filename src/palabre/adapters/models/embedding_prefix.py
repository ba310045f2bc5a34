"""What some embedders must read before a text to know what it is for."""

from collections.abc import Sequence

from palabre.core.models.model import EmbeddingPurpose

_PREFIXES: dict[str, dict[EmbeddingPurpose, str]] = {
    "nomic-embed-text": {"question": "search_query: ", "passage": "search_document: "},
}
"""By a part of the model's name. As their makers' model cards demand; servers do not add them."""


def prefixed(model: str, texts: Sequence[str], purpose: EmbeddingPurpose) -> list[str]:
    """Return *texts* as *model* wants to read them."""
    prefix = next((each[purpose] for name, each in _PREFIXES.items() if name in model.lower()), "")
    return [prefix + text for text in texts]
