"""A persona written as the TOML file that people edit."""

import json
import re
from collections.abc import Iterator

from palabre.core.personas.model import Persona

_ESCAPED = {ord("\\"): "\\\\", 0x7F: "\\u007F"} | {
    code: f"\\u{code:04X}" for code in range(0x20) if chr(code) not in "\n\t"
}

_QUOTES_THAT_COULD_END = re.compile(r'"(?="|\Z)')


def persona_toml(persona: Persona) -> str:
    """Write *persona*; its id is the file's name and not in it."""
    return "\n".join(_lines(persona)) + "\n"


def _lines(persona: Persona) -> Iterator[str]:
    yield f"nick = {_quoted(persona.nick)}"
    yield f"color = {_quoted(persona.color)}"
    yield f"model = {_quoted(persona.model)}"
    if persona.voice:
        yield f"voice = {_quoted(persona.voice)}"
    if persona.tools:
        yield f"tools = [{', '.join(map(_quoted, persona.tools))}]"
    if persona.max_tokens is not None:
        yield f"max_tokens = {persona.max_tokens}"
    if persona.summary:
        yield f"summary = {_quoted(persona.summary)}"
    yield f"prompt = {_paragraphs(persona.prompt)}"
    if persona.short_prompt:
        yield f"short_prompt = {_paragraphs(persona.short_prompt)}"
    for example in persona.examples:
        yield "\n[[examples]]"
        yield f"question = {_paragraphs(example.question)}"
        yield f"answer = {_paragraphs(example.answer)}"


def _quoted(words: str) -> str:
    """Write a string on one line: JSON's escapes are TOML's, but for one character."""
    return json.dumps(words, ensure_ascii=False).replace("\x7f", "\\u007F")


def _paragraphs(words: str) -> str:
    if "\n" not in words and len(words) < 100:  # noqa: PLR2004 - a line of the file
        return _quoted(words)
    lines = _QUOTES_THAT_COULD_END.sub('\\\\"', words.translate(_ESCAPED))
    return f'"""\n{lines}"""'
