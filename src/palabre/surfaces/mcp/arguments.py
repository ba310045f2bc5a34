"""The tools, and what each of them takes: the schemas that programs see are made from this."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MAX_MESSAGE_CHARS = 8192
"""As in rooms (seed 000 §5.3)."""

MAX_QUERY_CHARS = 200
MAX_RESULTS = 50

Words = Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE_CHARS)]


class Arguments(BaseModel):
    """What a tool takes; a name that it does not know is a mistake."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Nothing(Arguments):
    """Takes nothing."""


class Chat(Arguments):
    """What is said, and where."""

    message: Words = Field(description="What to say. @Name calls a persona.")
    channel: str = Field(default="", description="Such as #general; empty: the first channel.")
    nick: str = Field(
        default="guest",
        min_length=1,
        max_length=24,
        description="By whom it is said; mcp_ comes before it.",
    )
    timeout_s: float | None = Field(
        default=None, gt=0, le=3600, description="How long to wait for the answers, in seconds."
    )


class Ask(Arguments):
    """Who is asked, and what."""

    persona: str = Field(max_length=100, description="Id or nick, as `personas` lists them.")
    message: Words = Field(description="What to ask.")
    guidance: str = Field(
        default="", max_length=MAX_MESSAGE_CHARS, description="What else to heed in the answer."
    )


class Search(Arguments):
    """What is searched, and where."""

    query: str = Field(min_length=2, max_length=MAX_QUERY_CHARS, description="Words to find.")
    where: Literal["chat", "documents"] = Field(
        default="chat", description="In what was said in the rooms, or in the documents."
    )
    channel: str = Field(default="", max_length=30, description="Of this channel alone.")
    limit: int = Field(default=20, ge=1, le=MAX_RESULTS, description="Results at the most.")


@dataclass(frozen=True, slots=True)
class ToolKind:
    """One tool, as programs see it."""

    name: str
    title: str
    description: str
    takes: type[Arguments]
    is_read_only: bool = True


TOOLS = (
    ToolKind("personas", "Personas", "List the personas of the house who answer.", Nothing),
    ToolKind(
        "chat",
        "Say something in a room",
        "Say something in a channel, where everybody sees it, and return what personas answer.",
        Chat,
        is_read_only=False,
    ),
    ToolKind(
        "ask",
        "Ask a persona",
        "Ask one persona, outside of the rooms: nobody sees it and nothing is remembered.",
        Ask,
    ),
    ToolKind("search", "Search", "Search what was said in the rooms, or the documents.", Search),
    ToolKind("status", "Status", "Say how the house is: people, personas, models.", Nothing),
)
