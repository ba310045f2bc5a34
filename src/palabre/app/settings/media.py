"""The section `[media]` of `palabre.toml`."""

from pydantic import Field

from palabre.app.settings.sections import Section
from palabre.app.settings.values import OptionalWebAddress, UserPath


class MediaSettings(Section):
    """Who makes pictures, and how much of what was made is kept. Music: see `speech.url`."""

    comfyui_url: OptionalWebAddress = Field(
        default="", description="Address of a ComfyUI server; empty: nobody makes pictures."
    )
    checkpoint: str = Field(
        default="",
        max_length=255,
        description="Model that draws, by ComfyUI's name; empty takes the first that it has.",
    )
    workflow: UserPath | None = Field(
        default=None,
        description="Workflow of yours, saved by ComfyUI in the API format, with `{prompt}` and "
        "`{seed}` in it; it takes the place of ours and of `checkpoint`.",
    )
    max_mb: int = Field(
        default=4096,
        ge=1,
        description="Most pictures and music (MiB) that are kept; what is made then is shown, but "
        "not kept. Nothing is ever deleted.",
    )
