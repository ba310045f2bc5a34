"""The sections of `palabre.toml`, with limits, defaults and what each key means."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

from palabre.app.settings.values import (
    Names,
    Networks,
    OptionalWebAddress,
    Origins,
    UserPath,
    WebAddress,
)
from palabre.core.models.model import AUTO, EMBEDDED, OLLAMA

LogLevel = Literal["debug", "info", "warning", "error"]


class Section(BaseModel):
    """One table of the file: frozen, and a key that it does not know is a mistake."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ServerSettings(Section):
    """Where the program listens, and whom it believes."""

    host: str = Field(default="127.0.0.1", min_length=1, description="Address to listen on.")
    port: int = Field(default=3333, ge=0, le=65535, description="Port; 0 takes any free one.")
    insecure: bool = Field(
        default=False, description="Listen off loopback though anybody may chat there."
    )
    allowed_hosts: Names = Field(
        default=(), description="Host names that requests may use besides this machine's own."
    )
    trusted_proxies: Networks = Field(
        default=(), description="Networks of proxies whose X-Forwarded-For is believed."
    )
    open_browser: bool = Field(default=False, description="Open the page when the server is up.")


class AuthSettings(Section):
    """Who may enter."""

    rooms: Literal["open", "session"] = Field(
        default="open",
        description="`open`: anybody who reaches the port may chat; `session`: accounts.",
    )
    guests: bool | None = Field(
        default=None,
        description="Whether a name without proof may look around as a viewer; unset: only where "
        "nobody but this machine reaches us.",
    )
    admin_token: SecretStr | None = Field(
        default=None,
        description="Whoever has it may log in with any role; in the file, write "
        '`admin_token_file = "path"` instead.',
    )
    admin_subnet: Networks = Field(
        default=(), description="Networks from which administrators come; empty: from anywhere."
    )


class RoomsSettings(Section):
    """How rooms behave, and what one client may cost."""

    default_channel: str = Field(
        default="#general",
        pattern=r"^#[A-Za-z0-9_-]{1,29}$",
        description="The channel that newcomers enter.",
    )
    max_responders: int = Field(
        default=2, ge=1, le=5, description="Personas that answer one message at the most."
    )
    allowed_origins: Origins = Field(
        default=(), description="Origins of other sites whose pages may connect."
    )
    rate_limit_messages: int = Field(
        default=15, ge=1, le=10_000, description="Frames a client may send in one window."
    )
    rate_limit_window_s: float = Field(
        default=10, gt=0, le=3600, description="Length of the window."
    )
    max_connections: int = Field(
        default=2000, ge=1, le=100_000, description="Connections at once; more are refused."
    )
    chain_depth: int = Field(
        default=3, ge=0, le=10, description="Answers in a row that personas may give to each other."
    )
    chain_delay_s: float = Field(
        default=0.5, ge=0, le=60, description="Pause before a persona answers another."
    )
    history_messages: int = Field(default=20, ge=0, le=500, description="Messages a newcomer sees.")
    context_chars: int = Field(
        default=4000,
        ge=0,
        le=200_000,
        description="Characters of the channel in a persona's prompt.",
    )
    max_buffered_bytes: int = Field(
        default=1024 * 1024,
        ge=65_536,
        le=2**30,
        description="Unsent bytes a slow client may pile up.",
    )
    max_buffered_events: int = Field(
        default=1024, ge=16, le=1_000_000, description="Unsent events a slow client may pile up."
    )
    slow_client_grace_s: float = Field(
        default=5, ge=0, le=300, description="Time a full client has to read before it is closed."
    )
    ping_interval_s: float = Field(
        default=20, gt=0, le=60, description="Time between server pings."
    )
    ping_timeout_s: float = Field(
        default=20, gt=0, le=60, description="Time a client has to answer one."
    )


MaxConcurrent = Annotated[int, Field(ge=1, le=256, description="Calls at once.")]
MaxWaiting = Annotated[int, Field(ge=0, le=10_000, description="Calls that wait; more fail.")]
CallTimeout = Annotated[float, Field(gt=0, le=3600, description="Longest call.")]
ApiKey = Annotated[
    SecretStr | None,
    Field(description='Key; in the file, write `api_key_file = "path"` instead.'),
]


class OllamaSettings(Section):
    """An Ollama server."""

    url: WebAddress = Field(default="http://127.0.0.1:11434", description="Address of the server.")
    max_concurrent: MaxConcurrent = 3
    max_waiting: MaxWaiting = 64
    timeout_s: CallTimeout = 300
    keep_alive: str = Field(
        default="30m",
        pattern=r"^-?\d+(ms|s|m|h)?$",
        description="How long a model stays in memory; -1 keeps it for ever.",
    )


class OpenAISettings(Section):
    """A server that speaks the OpenAI protocol: llama.cpp, vLLM, LM Studio and others."""

    base_url: WebAddress = Field(description="Address up to and with `/v1`.")
    api_key: ApiKey = None
    max_concurrent: MaxConcurrent = 8
    max_waiting: MaxWaiting = 64
    timeout_s: CallTimeout = 300


class EmbeddedSettings(Section):
    """The model that runs inside Palabre when no server answers."""

    enabled: bool = Field(default=True, description="Whether it may be used at all.")
    tier: Literal["auto", "tiny", "small"] = Field(
        default="auto", description="Size of the model; `auto` looks at the memory."
    )
    model: str = Field(default="", description="A GGUF file or a hub name that replaces ours.")
    threads: int = Field(default=0, ge=0, le=1024, description="Threads; 0 chooses.")
    context_tokens: int = Field(
        default=4096, ge=512, le=1_048_576, description="Longest prompt plus answer."
    )
    max_waiting: MaxWaiting = 64
    timeout_s: CallTimeout = 300
    hub: OptionalWebAddress = Field(
        default="https://huggingface.co",
        description="Where weights are fetched from first; empty switches it off.",
    )


RESERVED_NAMES = frozenset({AUTO, OLLAMA, EMBEDDED})
EntryName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")]


class ModelsSettings(Section):
    """Which language models answer."""

    provider: str = Field(
        default=AUTO,
        min_length=1,
        description="`auto` (Ollama when it answers, else embedded), `ollama`, `embedded`, "
        "or the name of an entry of `models.openai`.",
    )
    default_model: str = Field(
        default="qwen3:8b",
        min_length=1,
        description="Model of personas whose own is not installed.",
    )
    vision_model: str = Field(
        default="qwen3-vl:8b",
        min_length=1,
        description="Model that looks at pictures; another one that sees stands in for it.",
    )
    ollama: OllamaSettings = OllamaSettings()
    openai: dict[EntryName, OpenAISettings] = Field(
        default_factory=dict, description="Servers by a name of your choice."
    )
    embedded: EmbeddedSettings = EmbeddedSettings()

    @model_validator(mode="after")
    def _names_are_one_provider_each(self) -> Self:
        taken = sorted(RESERVED_NAMES & set(self.openai))
        if taken:
            raise PydanticCustomError("openai", "{name} is built in", {"name": taken[0]})
        choices = sorted({*RESERVED_NAMES, *self.openai})
        if self.provider not in choices:
            raise PydanticCustomError(
                "provider", "must be one of {choices}", {"choices": ", ".join(choices)}
            )
        return self


class PersonasSettings(Section):
    """Who answers."""

    dir: UserPath | None = Field(
        default=None,
        description="Folder of your own personas, which join those that come along; "
        "none is `personas` in the data dir.",
    )


class StorageSettings(Section):
    """Where what was said is kept."""

    database_url: SecretStr | None = Field(
        default=None,
        description="PostgreSQL address; without one, what is said stays in files of the data dir "
        "and all else in a SQLite database beside them.",
    )
    mirror_files: bool = Field(
        default=False,
        description="With `database_url`: write messages, memories and media into files as well.",
    )

    @property
    def in_database(self) -> bool:
        """Whether tables are the truth of what is said, remembered and made."""
        return self.database_url is not None

    @property
    def writes_files(self) -> bool:
        """Whether what is said, remembered and made is written into files."""
        return self.mirror_files or not self.in_database

    @property
    def label(self) -> str:
        """Where what is said is kept, as health and status tell it: `postgres` or `files`."""
        return "postgres" if self.in_database else "files"


class LogsSettings(Section):
    """What the program tells about itself."""

    level: LogLevel = Field(default="info", description="The least that is logged.")
    format: Literal["text", "json"] = Field(
        default="text", description="One JSON object a line, or text."
    )
