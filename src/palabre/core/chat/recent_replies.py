"""The newest answers, so that an opinion on one is about what was really said."""

from collections import OrderedDict
from dataclasses import dataclass

from palabre.kernel.ids import ChannelName, Nick, PersonaId, ReplyId

MAX_REPLIES = 2000
MAX_CHARS = 8_000_000
"""Over all of them."""

MAX_PROMPT_CHARS = 16_000
MAX_RESPONSE_CHARS = 32_000
"""Of one answer (facts of seed 000, 3.8)."""


@dataclass(frozen=True, slots=True)
class RecentReply:
    """An answer that was given.

    Attributes:
        prompt: What a person said that led to it.
        response: What was answered; both may have been cut.
    """

    persona_id: PersonaId
    nick: Nick
    channel: ChannelName
    prompt: str
    response: str

    @property
    def chars(self) -> int:
        """How much room it takes."""
        return len(self.prompt) + len(self.response)


class RecentReplies:
    """Remembers answers by their ids; those given longest ago make room."""

    def __init__(self, *, max_replies: int = MAX_REPLIES, max_chars: int = MAX_CHARS) -> None:
        self._max_replies = max_replies
        self._max_chars = max_chars
        self._replies: OrderedDict[ReplyId, RecentReply] = OrderedDict()
        self._chars = 0

    def note(self, reply_id: ReplyId, reply: RecentReply) -> None:
        """Remember *reply*."""
        if known := self._replies.pop(reply_id, None):
            self._chars -= known.chars
        self._replies[reply_id] = reply
        self._chars += reply.chars
        while len(self._replies) > self._max_replies or self._chars > self._max_chars:
            self._chars -= self._replies.popitem(last=False)[1].chars

    def find(self, reply_id: str) -> RecentReply | None:
        """Return the answer of that id; None if it is not remembered."""
        return self._replies.get(ReplyId(reply_id))
