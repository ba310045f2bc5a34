"""The section `[tools]` of `palabre.toml`."""

from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

from palabre.app.settings.sections import EntryName, Section
from palabre.app.settings.values import Names, OptionalWebAddress, Origins, UserPath
from palabre.kernel.hosts import is_loopback

Arguments = Annotated[Names, Field(description="Its arguments.")]


class McpSettings(Section):
    """One MCP server: a program that is started, or an address that is called."""

    command: str = Field(default="", description="Program to start; it speaks over its pipes.")
    args: Arguments = ()
    env_file: UserPath | None = Field(
        default=None,
        description="File of `NAME=value` lines for the program; it gets nothing else of yours "
        "but PATH, HOME and the like.",
    )
    url: OptionalWebAddress = Field(default="", description="Address of a streamable HTTP server.")
    token: SecretStr | None = Field(
        default=None,
        description='Bearer token for `url`; in the file, write `token_file = "path"` instead.',
    )
    timeout_s: float = Field(default=20, gt=0, le=600, description="Longest call.")

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise PydanticCustomError("mcp", "give either command or url")
        return self


class ToolsSettings(Section):
    """What personas may use besides words; each persona's own list says what of it."""

    allowed_origins: Origins = Field(
        default=(),
        description="Origins of MCP servers that may be called without TLS; this machine's own "
        "may always.",
    )
    mcp: dict[EntryName, McpSettings] = Field(
        default_factory=dict, description="MCP servers by a name of your choice."
    )

    @model_validator(mode="after")
    def _plain_text_is_allowed(self) -> Self:
        for name, source in self.mcp.items():
            parts = urlsplit(source.url)
            origin = f"{parts.scheme}://{parts.netloc}".lower()
            is_safe = parts.scheme != "http" or is_loopback(parts.hostname or "")
            if not is_safe and origin not in self.allowed_origins:
                raise PydanticCustomError(
                    "mcp_plain",
                    "tools.mcp.{name}.url must be https, or tools.allowed_origins hold {origin}",
                    {"name": name, "origin": origin},
                )
        return self
