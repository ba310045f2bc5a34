"""What reading shared files may cost."""

from pydantic import Field

from palabre.app.settings.sections import Section


class UploadsSettings(Section):
    """Processes that read shared files, and what each file may cost."""

    workers: int = Field(
        default=2, ge=1, le=64, description="Processes at once that read shared files."
    )
    max_waiting: int = Field(
        default=32, ge=0, le=10_000, description="Files that wait to be read; more are refused."
    )
    memory_mb: int = Field(
        default=240,
        ge=128,
        le=16_384,
        description="Private memory (MiB) that reading one file may take; libraries come on top.",
    )
    cpu_s: int = Field(
        default=5, ge=1, le=3600, description="Seconds of computing that one file may take."
    )
    timeout_s: float = Field(
        default=60, gt=0, le=3600, description="Seconds on the clock that one file may take."
    )
