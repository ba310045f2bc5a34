"""What is told of the program, for its description (facts of seed 000, 3.2)."""

from typing import Literal

from pydantic import BaseModel

from palabre.core.auth.model import Role


class Alive(BaseModel):
    """The process answers."""

    ok: Literal[True]


class StateShown(BaseModel):
    """How something that is needed is.

    Attributes:
        detail: Why it is so, in words.
    """

    ok: bool
    detail: str


class ModelsReady(BaseModel):
    """Whether a model can be used, and how each source of models is."""

    ok: bool
    providers: dict[str, StateShown]


class Ready(BaseModel):
    """Whether personas can answer, and how each thing they need is."""

    ok: bool
    models: ModelsReady
    storage: StateShown
    personas: StateShown
    knowledge: StateShown | None = None


class Part(BaseModel):
    """Whether a part is well.

    Attributes:
        error: Why not.
        models_loaded: How many models it has; of `ollama` alone.
        personas: How many there are; of `database` alone.
    """

    status: Literal["ok", "error"]
    error: str | None = None
    models_loaded: int | None = None
    personas: int | None = None


class HealthShown(BaseModel):
    """How the program and what it stands on are."""

    app: str
    storage: str
    roles: list[Role]
    uptime_sec: int
    uptime_human: str
    ollama: Part
    models: dict[str, StateShown]
    database: Part
    health_check_ms: int


class PersonasCounted(BaseModel):
    """How many personas there are, and how many of them speak."""

    total: int
    active: int


class EngineCounted(BaseModel):
    """How many graphs and runs there are."""

    graphs: int
    runs: int
    running: int
    queued: int


class StatusShown(BaseModel):
    """What a strip at the edge of a page shows."""

    name: str
    version: str
    storage: str
    personas: PersonasCounted
    nodeEngine: EngineCounted  # noqa: N815  the wire's names


class Percentiles(BaseModel):
    """How long something took, in milliseconds."""

    count: int
    avgMs: float  # noqa: N815
    p50: float
    p95: float
    p99: float
    maxMs: float  # noqa: N815


class MemoryShown(BaseModel):
    """What memory is held, in MiB."""

    rss_mb: int


class PerfShown(BaseModel):
    """How fast answers were since the start."""

    uptime_ms: int
    uptime_human: str
    requests: int
    avg_latency_ms: float
    max_latency_ms: float
    percentiles: dict[str, Percentiles]
    status_codes: dict[str, int]
    memory: MemoryShown
