"""The section `api`: what programs with a key may ask for, over `/v1` and `/mcp`."""

from pydantic import Field, SecretStr

from palabre.app.settings.sections import Section
from palabre.core.auth.key_limits import KeyLimits


class ApiSettings(Section):
    """What programs with a key may ask for."""

    requests_per_minute: int = Field(
        default=60, ge=1, le=100_000, description="Requests of one key in any minute."
    )
    max_at_once: int = Field(
        default=4, ge=1, le=256, description="Requests of one key that are answered at once."
    )
    max_at_once_over_all: int = Field(
        default=32, ge=1, le=4096, description="Requests of all keys that are answered at once."
    )
    chat_timeout_s: float = Field(
        default=120,
        gt=0,
        le=3600,
        description="How long the MCP tool `chat` waits for the personas' answers.",
    )

    key: SecretStr | None = Field(
        default=None,
        description="Key by which `palabre mcp` enters a running house; in the file, write "
        '`key_file = "path"` instead.',
    )

    @property
    def limits(self) -> KeyLimits:
        """What one key may ask for, and all of them together."""
        return KeyLimits(self.requests_per_minute, self.max_at_once, self.max_at_once_over_all)
