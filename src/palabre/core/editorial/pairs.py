"""Pairs of a better and a worse answer to one prompt, to train on (seed 000 §15). Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from palabre.core.editorial.model import Feedback
from palabre.core.editorial.votes import Judgement, plain, read_judgement
from palabre.core.models.thinking import without_thoughts
from palabre.kernel.ids import PersonaId


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers of a persona to one prompt, of which people like one better."""

    prompt: str
    chosen: str
    rejected: str
    persona_id: PersonaId


@dataclass(slots=True)
class _Opinion:
    """What people think of one answer."""

    response: str
    votes: list[int] = field(default_factory=list)
    pins: int = 0

    @property
    def leaning(self) -> int:
        """Positive if more thumbs go up than down; pins count where there is no thumb."""
        return sum(self.votes) if self.votes else self.pins


def pairs_of(feedback: Iterable[Feedback], fallback_prompt: str) -> Iterator[Pair]:
    """Yield the pairs in the judgements of one persona.

    The i-th answer that is liked goes with the i-th that is not, in the order in which they were
    judged first. An answer that as many like as dislike is in no pair, so none is on both
    sides, and each is in one pair at the most. Answers and prompts are the same that differ in
    their spaces alone.

    Args:
        feedback: Ordered by prompt (`Feedback.prompt_key`).
        fallback_prompt: What was asked where that is not known.
    """
    for _, group in groupby(feedback, key=lambda each: each.prompt_key):
        oldest_first = sorted(group, key=lambda each: (each.created_at, each.id))
        yield from _pairs(oldest_first, fallback_prompt)


def _pairs(feedback: list[Feedback], fallback_prompt: str) -> Iterator[Pair]:
    prompt, opinions = "", dict[str, _Opinion]()
    for each in feedback:
        judgement = read_judgement(each.message)
        if judgement is None or not (key := plain(judgement.response)):
            continue
        prompt = prompt or without_thoughts(judgement.prompt)
        answer = without_thoughts(judgement.response)
        _count(opinions.setdefault(key, _Opinion(answer)), judgement)
    liked = [each.response for each in opinions.values() if each.leaning > 0]
    disliked = [each.response for each in opinions.values() if each.leaning < 0]
    asked = prompt or fallback_prompt
    for chosen, rejected in zip(liked, disliked, strict=False):
        yield Pair(asked, chosen, rejected, feedback[0].persona_id)


def _count(opinion: _Opinion, judgement: Judgement) -> None:
    if judgement.verdict == "pin":
        opinion.pins += 1
    elif judgement.verdict == "up":
        opinion.votes.append(1)
    elif judgement.verdict == "down":
        opinion.votes.append(-1)
