"""The section `[knowledge]` of `palabre.toml`: what personas draw on (seed 000 §6)."""

from pydantic import Field

from palabre.app.settings.sections import Section
from palabre.core.knowledge.service import KnowledgeRules


class KnowledgeSettings(Section):
    """How documents are cut, found and told."""

    embedder: str = Field(
        default="nomic-embed-text",
        min_length=1,
        description="Model that makes vectors of texts; where it is not installed, another does, "
        "and documents stay with that one until `palabre knowledge reindex`.",
    )
    chunk_chars: int = Field(
        default=500, ge=100, le=4000, description="Longest passage; documents are cut anew."
    )
    max_results: int = Field(
        default=2, ge=0, le=20, description="Passages that a persona is told; 0 tells none."
    )
    min_similarity: float = Field(
        default=0.3, ge=0, le=1, description="Least cosine of a question and a passage."
    )
    manifesto: bool = Field(
        default=True,
        description="Whether personas know the manifesto: `manifeste.md` and "
        "`manifeste_references_nouvelles.md` of the data dir, else those that come along.",
    )

    @property
    def rules(self) -> KnowledgeRules:
        """How documents are cut and what of them is told."""
        return KnowledgeRules(self.chunk_chars, self.max_results, self.min_similarity)
