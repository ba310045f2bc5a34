"""Write the prompt of an answer outside of the rooms: a dialogue that its asker keeps. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from palabre.core.chat.prompt import write_prompt
from palabre.core.knowledge.model import Passage
from palabre.core.media.model import SharedFile
from palabre.core.models.model import ChatMessage, ModelInfo
from palabre.core.models.quotation import as_data
from palabre.core.personas.model import Persona

SMALL_DIALOGUE_CHARS = 3000
"""Characters of earlier messages that a small model is shown, the newest: more would not fit."""

SMALL_GUIDANCE_CHARS = 1000
"""Of what the asker's program says of the task, for a small model."""

_GUIDANCE = "[Ce que le programme qui t'interroge précise : tiens-en compte, mais reste qui tu es]"


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the dialogue.

    Attributes:
        pictures: What it shows besides its words.
    """

    role: Literal["user", "assistant"]
    text: str
    pictures: tuple[SharedFile, ...] = ()


def write_direct_prompt(
    persona: Persona,
    dialogue: Sequence[Said],
    *,
    info: ModelInfo,
    guidance: str = "",
    passages: Sequence[Passage] = (),
) -> tuple[ChatMessage, ...]:
    """Return what the model *info* is told so that *persona* answers the last of *dialogue*.

    It is what rooms tell it, with the earlier messages before the last one, and *guidance*, which
    is data to a persona, below its own prompt.
    """
    *earlier, last = joined(dialogue)
    if info.is_small:
        earlier = _newest(earlier, SMALL_DIALOGUE_CHARS)
        guidance = guidance[:SMALL_GUIDANCE_CHARS]
    system, *rest = write_prompt(persona, last.text, info=info, passages=passages)
    asked = max(at for at, message in enumerate(rest) if message.role == "user")
    told = (ChatMessage(each.role, each.text) for each in earlier)
    return (_guided(system, guidance), *rest[:asked], *told, *rest[asked:])


def joined(dialogue: Sequence[Said]) -> list[Said]:
    """Return *dialogue* with neighbours of one speaker in one: models expect turns."""
    turns: list[Said] = []
    for said in dialogue:
        if turns and turns[-1].role == said.role:
            before = turns.pop()
            said = replace(said, text=f"{before.text}\n\n{said.text}")  # noqa: PLW2901
        turns.append(said)
    return turns


def _guided(system: ChatMessage, guidance: str) -> ChatMessage:
    if not guidance.strip():
        return system
    return replace(system, content=f"{system.content}\n\n{_GUIDANCE}\n{as_data(guidance)}")


def _newest(dialogue: Sequence[Said], budget_chars: int) -> list[Said]:
    start, left = len(dialogue), budget_chars
    while start and len(dialogue[start - 1].text) <= left:
        start -= 1
        left -= len(dialogue[start].text)
    return list(dialogue[start:])
