"""One persona, one TOML file; its name is the persona's id."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from palabre.adapters.personas.table import read_toml, to_struct
from palabre.core.personas.card_names import is_id
from palabre.core.personas.errors import PersonaFilesError, Problem
from palabre.core.personas.limits import (
    MAX_EXAMPLES,
    MAX_NAME,
    MAX_PROMPT,
    MAX_SHORT_PROMPT,
    MAX_SPEECH,
    MAX_SUMMARY,
    MAX_TOKENS,
)
from palabre.core.personas.model import Example, Persona
from palabre.core.personas.nicks import MAX_NICK, MIN_CHOSEN_NICK, NICK_LETTER
from palabre.kernel.ids import Nick, PersonaId

_ONE_LINE = r"\A[^\x00-\x1f\x7f-\x9f]*\Z"

_Nick = Annotated[
    str,
    Meta(min_length=MIN_CHOSEN_NICK, max_length=MAX_NICK, pattern=rf"\A{NICK_LETTER}+\Z"),
]
_Color = Annotated[str, Meta(pattern=r"\A#[0-9a-fA-F]{6}\Z")]
_Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME, pattern=_ONE_LINE)]
_Speech = Annotated[str, Meta(max_length=MAX_SPEECH, pattern=r"\S")]
_OWN_TOOL = r"[a-z][a-z0-9_]*"
_MCP_TOOL = r"mcp:[a-z0-9][a-z0-9_-]*/(?:\*|[^\s*]+)"
_Tool = Annotated[str, Meta(max_length=128, pattern=rf"\A(?:{_OWN_TOOL}|{_MCP_TOOL})\Z")]


class _ExampleTable(msgspec.Struct, forbid_unknown_fields=True):
    question: _Speech
    answer: _Speech


class _PersonaTable(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    nick: _Nick
    color: _Color
    model: _Name
    prompt: Annotated[str, Meta(max_length=MAX_PROMPT, pattern=r"\S")]
    summary: Annotated[str, Meta(max_length=MAX_SUMMARY, pattern=_ONE_LINE)] = ""
    short_prompt: Annotated[str, Meta(max_length=MAX_SHORT_PROMPT)] = ""
    examples: Annotated[tuple[_ExampleTable, ...], Meta(max_length=MAX_EXAMPLES)] = ()
    voice: Annotated[str, Meta(max_length=MAX_NAME, pattern=_ONE_LINE)] = ""
    tools: Annotated[tuple[_Tool, ...], Meta(max_length=16)] = ()
    max_tokens: Annotated[int, Meta(ge=1, le=MAX_TOKENS)] | None = None
    order: Annotated[int, Meta(ge=0, le=1_000_000)] = 1000
    enabled: bool = True


@dataclass(slots=True)
class PersonaFile:
    """What a file says of a persona.

    Attributes:
        path: The file.
        nick: The name that it asks for; empty when it has none.
        order: Its place among the others; ties go by id.
        persona: Who it describes; None if it has mistakes, or says `enabled = false`.
        problems: All that is wrong.
    """

    path: Path
    nick: str = ""
    order: int = 0
    persona: Persona | None = None
    problems: list[Problem] = field(default_factory=list)


def read_persona(path: Path) -> PersonaFile:
    """Return what the file at *path* says.

    A file that only switches a persona off needs no other key.
    """
    file = PersonaFile(path)
    if not is_id(path.stem):
        file.problems.append(Problem(str(path), "bad_id"))
    try:
        _read_into(file)
    except PersonaFilesError as error:
        file.problems += error.problems
    return file


def _read_into(file: PersonaFile) -> None:
    raw = read_toml(file.path)
    if raw.get("enabled") is False:
        return
    file.nick = str(raw.get("nick", ""))[:MAX_NICK]
    table = to_struct(raw, _PersonaTable, str(file.path))
    file.order = table.order
    if not file.problems:
        file.persona = _to_persona(PersonaId(file.path.stem), table)


def _to_persona(persona_id: PersonaId, table: _PersonaTable) -> Persona:
    return Persona(
        id=persona_id,
        nick=Nick(table.nick),
        color=table.color.lower(),
        model=table.model,
        summary=table.summary.strip(),
        prompt=table.prompt.strip(),
        short_prompt=table.short_prompt.strip(),
        examples=tuple(Example(e.question.strip(), e.answer.strip()) for e in table.examples),
        voice=table.voice,
        tools=table.tools,
        max_tokens=table.max_tokens,
    )
