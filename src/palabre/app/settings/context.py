"""The section `[context]` of `palabre.toml`."""

from pydantic import Field

from palabre.app.settings.sections import Section
from palabre.core.chat.compaction_rules import MB, CompactionRules, MachineLimits


class ContextSettings(Section):
    """When what was said long ago is summarised, and how much of it is kept."""

    compact: bool = Field(default=True, description="Whether anything is summarised at all.")
    file_mb: float = Field(
        default=1,
        ge=0,
        le=100_000,
        description="Size below which a channel is left alone; 0 goes by this machine's memory.",
    )
    entries: int = Field(
        default=200,
        ge=0,
        le=10_000_000,
        description="Messages below which it is; 0 goes by this machine's memory.",
    )
    total_mb: float = Field(
        default=750,
        ge=0,
        le=10_000_000,
        description="Size of all channels and archives, above which the oldest archives are "
        "deleted; 0 goes by this machine's memory.",
    )
    summary_chars: int = Field(
        default=0,
        ge=0,
        le=200_000,
        description="Longest summary of a channel; 0 goes by this machine's memory.",
    )
    check_every_s: float = Field(
        default=60, gt=0, le=86_400, description="Time between two looks at the channels."
    )
    model: str = Field(
        default="", description="Model that summarises; empty is `models.default_model`."
    )

    def rules(self, machine: MachineLimits, default_model: str) -> CompactionRules:
        """Return the same as the core wants it, on a *machine* with such limits."""
        return CompactionRules(
            enabled=self.compact,
            file_bytes=int(self.file_mb * MB) or machine.file_bytes,
            entries=self.entries or machine.entries,
            total_bytes=int(self.total_mb * MB) or machine.total_bytes,
            summary_chars=self.summary_chars or machine.summary_chars,
            every_s=self.check_every_s,
            model=self.model or default_model,
        )
