"""Judgements of answers as feedback keeps them: JSON in its message (facts of seed 000, 3.8)."""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Literal

from palabre.core.editorial.model import FeedbackKind
from palabre.core.models.thinking import without_thoughts

Verdict = Literal["up", "down", "react", "pin"]
VERDICTS: tuple[Verdict, ...] = ("up", "down", "react", "pin")
LEANINGS: dict[Verdict, int] = {"up": 1, "down": -1, "react": 0, "pin": 1}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What somebody thinks of one answer.

    Attributes:
        verdict: Thumbs are votes; reactions and pins are signals.
        response: The answer.
        prompt: What was answered; empty if that is not known.
        message_id: The answer's id (`replyId` of frames); empty if that is not known.
        channel: Where it was given; empty if that is not known.
        reaction: A sign, for a reaction; else empty.
    """

    verdict: Verdict
    response: str
    prompt: str = ""
    message_id: str = ""
    channel: str = ""
    reaction: str = ""

    @property
    def kind(self) -> FeedbackKind:
        """As which feedback it is kept."""
        is_vote = self.verdict in {"up", "down"}
        return FeedbackKind.VOTE if is_vote else FeedbackKind.CHAT_SIGNAL

    @property
    def leaning(self) -> int:
        """1 for the answer, -1 against it, 0 neither."""
        return LEANINGS[self.verdict]

    @property
    def message(self) -> str:
        """What feedback says of it."""
        kind = "vote" if self.kind is FeedbackKind.VOTE else "signal"
        told = {
            "type": kind,
            kind: self.verdict,
            **({"reaction": self.reaction} if self.reaction else {}),
            "response": self.response,
            "prompt": self.prompt,
            "messageId": self.message_id,
            "channel": self.channel,
        }
        return json.dumps(told, ensure_ascii=False)

    def slot(self, voter: str) -> str:
        """Return the place of *voter*'s judgement: a second thumb takes that of the first."""
        place = "thumb" if self.kind is FeedbackKind.VOTE else f"{self.verdict} {self.reaction}"
        answer = self.message_id or f"text {hashlib.sha256(self.response.encode()).hexdigest()}"
        return _digest(f"{voter}\n{place}\n{answer}")

    @property
    def prompt_key(self) -> str:
        """The same for all answers to one prompt."""
        return _digest(plain(self.prompt))


def read_judgement(message: str) -> Judgement | None:
    """Return what the feedback *message* says of an answer; None if it says nothing of one."""
    try:
        told = json.loads(message)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    verdict = told.get("vote" if told.get("type") == "vote" else "signal")
    known = next((each for each in VERDICTS if each == verdict), None)
    if known is None or not isinstance(told.get("response"), str):
        return None
    values = {
        ours: value if isinstance(value := told.get(theirs), str) else ""
        for ours, theirs in _NAMES.items()
    }
    return Judgement(known, told["response"], **values)


_NAMES = {
    "prompt": "prompt",
    "message_id": "messageId",
    "channel": "channel",
    "reaction": "reaction",
}


def plain(words: str) -> str:
    """Return *words* without thoughts, with single spaces: what makes two texts the same."""
    return " ".join(without_thoughts(words).split())


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()


def without_words(message: str) -> str:
    """Return the feedback *message* without what was said in a room, if it holds that."""
    judgement = read_judgement(message)
    if judgement is None:
        return message
    prompt, response = hidden(judgement.prompt), hidden(judgement.response)
    return replace(judgement, prompt=prompt, response=response).message


def hidden(words: str) -> str:
    """Return how much *words* is, instead of what."""
    return f"[{len(words)}]"
