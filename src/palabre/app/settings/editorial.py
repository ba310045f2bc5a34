"""The section `[editorial]` of `palabre.toml`."""

from pydantic import Field

from palabre.app.settings.sections import Section


class EditorialSettings(Section):
    """What is done with what people think of answers."""

    suggest: bool = Field(
        default=True,
        description="Whether the dispatcher proposes new descriptions of personas that people "
        "complain of; an editor applies them or not.",
    )
    suggest_after: int = Field(
        default=5, ge=1, le=10_000, description="Complaints that make it propose one."
    )
