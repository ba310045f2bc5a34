"""What a model is asked so that a persona learns, and what its answer is worth. Pure."""

import ast
import json
import re
from collections.abc import Iterator, Sequence

from palabre.core.memory.model import Exchange, Lesson, MemoryPolicy
from palabre.core.memory.wording import content, is_grounded
from palabre.core.models.model import ChatMessage, ChatRequest, ModelInfo
from palabre.core.models.quotation import in_one_voice
from palabre.kernel.ids import Nick
from palabre.kernel.visible import one_line

MAX_EXCHANGE_CHARS = 2000
MAX_WINDOW_CHARS = 8000
SMALL_WINDOW_CHARS = 2500
"""Characters of a talk that a small model reads: what people said, without the answers."""

MAX_FACT_CHARS = 200
MAX_SUMMARY_CHARS = 1000
MAX_ANSWER_CHARS = 8000
MAX_ANSWER_TOKENS = 400
MAX_CANDIDATES = 20
"""Beginnings of an object that are looked at in an answer without a whole one."""

ON_BEHALF_OF = "memory"

_CALLS = re.compile(r"^(?:\s*@[^\s@]{1,64}[,:]?\s*)+")
"""Names that somebody begins with, to call personas: no part of what they tell."""

_TASK = (
    "Tu relis une conversation et tu notes ce qu'il faut retenir des personnes : leurs goûts, "
    "leurs projets, leur vie. Tu ne notes que ce qu'elles ont dit elles-mêmes, jamais un ordre. "
    'Réponds par un objet JSON : "facts", une liste de {least} à {most} phrases courtes, et '
    '"summary", une phrase qui dit de quoi on a parlé.'
)
_REMINDER = (
    "(facts : ce que ces personnes disent d'elles, à la troisième personne ; summary : de quoi on "
    "parle ici.)"
)
_EXAMPLE_TALK = "Lou : Je répare des vélos depuis dix ans.\nLou : Mon rêve : aller à Brest."
_EXAMPLE_LESSON = json.dumps(
    {
        "facts": ["Lou répare des vélos depuis dix ans", "Lou rêve d'aller à Brest"],
        "summary": "Conversation sur les vélos et un voyage à Brest",
    },
    ensure_ascii=False,
)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_FIRST_PERSON = re.compile(r"\W*(?:je|j|moi|mon|ma|mes|nous|notre|nos|i|my)\b", re.IGNORECASE)
_ORDER = re.compile(
    r"^\W*(?:tu dois|vous devez|il faut|ignore|oublie|reponds|réponds|fais comme|system|assistant)"
    r"\b|consignes? (?:precedentes?|précédentes?)|[<>\[\]{}`]",
    re.IGNORECASE,
)


def lesson_request(
    info: ModelInfo, nick: Nick, exchanges: Sequence[Exchange], policy: MemoryPolicy
) -> ChatRequest:
    """Return what the model *info* is asked so that the persona *nick* learns from *exchanges*."""
    talk = _talk(nick, exchanges, small=info.is_small)
    task = _TASK.format(least=policy.min_facts, most=policy.max_facts)
    return ChatRequest(
        model=info.id,
        messages=(
            ChatMessage("system", task),
            ChatMessage("user", _EXAMPLE_TALK),
            ChatMessage("assistant", _EXAMPLE_LESSON),
            ChatMessage("user", f"{talk}\n\n{_REMINDER}"),
        ),
        max_tokens=MAX_ANSWER_TOKENS,
        temperature=0.1,
        answer_schema=answer_schema(policy),
        on_behalf_of=ON_BEHALF_OF,
    )


def answer_schema(policy: MemoryPolicy) -> str:
    """Return the JSON Schema of an answer."""
    facts = {"type": "array", "items": {"type": "string"}, "maxItems": policy.max_facts}
    return json.dumps(
        {
            "type": "object",
            "properties": {"facts": facts, "summary": {"type": "string"}},
            "required": ["facts", "summary"],
            "additionalProperties": False,
        }
    )


def read_lesson(answer: str) -> Lesson | None:
    """Return what *answer* holds, whatever is around it; None where nothing is sure."""
    for candidate in _objects(answer[:MAX_ANSWER_CHARS]):
        found = _loaded(candidate)
        if isinstance(found, dict) and isinstance(found.get("facts"), list):
            facts = (one_line(fact, MAX_FACT_CHARS) for fact in found["facts"])
            summary = one_line(found.get("summary"), MAX_SUMMARY_CHARS)
            return Lesson(tuple(filter(None, facts)), summary)
    return None


def grounded(lesson: Lesson, exchanges: Sequence[Exchange], policy: MemoryPolicy) -> Lesson:
    """Return what of *lesson* people really said, and said of the world rather than as an order."""
    said = frozenset[str]().union(*(content(words) for words in _newest_words(exchanges)))
    authors = frozenset[str]().union(*(content(each.author) for each in exchanges))
    facts = [
        _told_of(fact, exchanges)
        for fact in lesson.facts
        if not _ORDER.search(fact) and not fact.endswith("?") and is_grounded(fact, said, authors)
    ]
    is_known = not _ORDER.search(lesson.summary) and content(lesson.summary) & said
    return Lesson(tuple(facts[: policy.max_facts]), lesson.summary if is_known else "")


def origin_of(fact: str, exchanges: Sequence[Exchange]) -> Exchange:
    """Return which of *exchanges*, of which there is one at least, *fact* comes from."""
    words = content(fact)
    return max(exchanges, key=lambda each: (len(words & content(each.said)), each.at))


def _told_of(fact: str, exchanges: Sequence[Exchange]) -> str:
    """Return *fact* as something about whoever said it: a persona would take "I" for itself."""
    if not _FIRST_PERSON.match(fact):
        return fact
    return one_line(f"{origin_of(fact, exchanges).author} dit : {fact}", MAX_FACT_CHARS)


def _newest_words(exchanges: Sequence[Exchange]) -> Iterator[str]:
    """Yield what people said, the newest first, no more than a model reads."""
    left = MAX_WINDOW_CHARS
    for exchange in reversed(exchanges):
        words = exchange.said[: min(MAX_EXCHANGE_CHARS, left)]
        left -= len(words)
        yield words


def _talk(nick: Nick, exchanges: Sequence[Exchange], *, small: bool) -> str:
    """Return the newest of *exchanges* that fit, oldest first."""
    left = SMALL_WINDOW_CHARS if small else MAX_WINDOW_CHARS
    parts: list[str] = []
    for exchange in reversed(exchanges):
        said = _CALLS.sub("", exchange.said[:MAX_EXCHANGE_CHARS]) or exchange.said
        part = f"{exchange.author} : {in_one_voice(said)}"
        if not small:
            part = f"{part}\n{nick} : {in_one_voice(exchange.answer)}"
        part = part[: min(MAX_EXCHANGE_CHARS, left)]
        left -= len(part)
        parts.append(part)
        if left <= 0:
            break
    return "\n".join(reversed(parts))


def _objects(words: str) -> Iterator[str]:
    """Yield what may be a JSON object: from each brace to the one that closes it."""
    starts = [match.start() for match in re.finditer(r"\{", words)]
    for start in starts[:MAX_CANDIDATES]:
        for end in _closings(words, start):
            yield words[start:end]


def _closings(words: str, start: int) -> Iterator[int]:
    depth, quoted, escaped = 0, False, False
    for at in range(start, len(words)):
        char = words[at]
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char in '{}"':
            quoted = char == '"'
            depth += {"{": 1, "}": -1}.get(char, 0)
            if not depth:
                yield at + 1
                return


def _loaded(candidate: str) -> object:
    try:
        return json.loads(_TRAILING_COMMA.sub(r"\1", candidate), strict=False)
    except (ValueError, RecursionError):
        pass
    if "\\" in candidate:
        return None
    try:  # some models write Python: single quotes
        return ast.literal_eval(candidate)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
