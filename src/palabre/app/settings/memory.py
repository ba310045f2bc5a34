"""The section `[memory]` of `palabre.toml`."""

from typing import Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from palabre.app.settings.sections import Section
from palabre.core.memory.model import MemoryPolicy


class MemorySettings(Section):
    """When personas learn from what people tell them, and how much they keep."""

    enabled: bool = Field(
        default=True, description="Whether they learn at all; what they know stays."
    )
    update_every: int = Field(
        default=5, ge=1, le=500, description="Answers to people after which a persona learns."
    )
    window: int = Field(default=10, ge=1, le=200, description="Exchanges that are read then.")
    min_facts: int = Field(
        default=0, ge=0, le=500, description="Facts that a model is asked for at the least."
    )
    max_facts: int = Field(
        default=5, ge=1, le=500, description="Facts that one reading gives at the most."
    )
    working_facts: int = Field(
        default=20, ge=1, le=500, description="Facts that a persona has in mind."
    )
    source_messages: int = Field(
        default=10, ge=1, le=200, description="Messages of people that are kept beside them."
    )
    archive_facts: int = Field(default=100, ge=1, le=2000, description="Facts in the archive.")
    archive_summaries: int = Field(
        default=50, ge=1, le=500, description="Summaries in the archive."
    )
    compat_facts: int = Field(
        default=20, ge=1, le=500, description="Facts in the copy for earlier programs."
    )

    @model_validator(mode="after")
    def _limits_fit(self) -> Self:
        # What was not set follows what was: only two that were set can contradict each other.
        for name, limit in (
            ("max_facts", "working_facts"),
            ("min_facts", "max_facts"),
            ("compat_facts", "working_facts"),
        ):
            if {name, limit} <= self.model_fields_set and getattr(self, name) > getattr(
                self, limit
            ):
                raise PydanticCustomError(
                    "memory", "{name} must not be more than {limit}", {"name": name, "limit": limit}
                )
        return self

    @property
    def policy(self) -> MemoryPolicy:
        """The same as the core wants it; no limit is more than what it is a part of."""
        most = min(self.max_facts, self.working_facts)
        return MemoryPolicy(
            enabled=self.enabled,
            update_every=self.update_every,
            window=self.window,
            min_facts=min(self.min_facts, most),
            max_facts=most,
            working_facts=self.working_facts,
            source_messages=self.source_messages,
            archive_facts=self.archive_facts,
            archive_summaries=self.archive_summaries,
            compat_facts=min(self.compat_facts, self.working_facts),
        )
