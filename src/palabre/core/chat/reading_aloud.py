"""Let answers be heard while they are written, and still when they are whole."""

from functools import partial

from palabre.core.chat.hub import RoomHub
from palabre.core.chat.members import Member
from palabre.core.chat.model import SentenceSpoken
from palabre.core.chat.ongoing_reply import Reply
from palabre.core.speech.narrator import Narrator
from palabre.core.speech.voices import voice_of


class ReadingAloud:
    """Gives answers to the narrator, and its sentences to the channel.

    Args:
        hub: Where sentences are heard.
        narrator: Says them; None where nothing is to be heard.
    """

    def __init__(self, hub: RoomHub, narrator: Narrator | None) -> None:
        self._hub = hub
        self._narrator = narrator
        self._still_heard: set[Reply] = set()

    def grow(self, reply: Reply, shown: str) -> None:
        """Let *shown*, by which *reply* grew, be heard too, if anybody listens."""
        turn = reply.turn
        if self._narrator is not None and reply.narration is None:
            if not self._hub.has_listeners(turn.channel):
                return
            line, voice = (turn.persona.id, turn.channel), voice_of(turn.persona)
            is_heard = partial(self._hub.has_listeners, turn.channel)
            tell = partial(self._tell, reply)
            reply.narration = self._narrator.begin(line, voice, tell, is_heard)
        if reply.narration is not None:
            reply.narration.feed(shown)

    def finish(self, reply: Reply) -> None:
        """*reply* is whole; it may be heard for a while yet."""
        if reply.narration is not None:
            reply.narration.finish()
            self._still_heard = {each for each in self._still_heard if each.is_heard} | {reply}

    def cancel(self, reply: Reply) -> None:
        """Say no more of *reply*."""
        self._still_heard.discard(reply)
        if reply.narration is not None:
            reply.narration.cancel()

    def hush(self, member: Member) -> list[Reply]:
        """Say no more of what was written for *member*; return the replies cut short."""
        heard = [each for each in self._still_heard if each.is_heard]
        hushed = [each for each in heard if each.turn.asked_by is member]
        for reply in hushed:
            self.cancel(reply)
        return hushed

    async def aclose(self) -> None:
        """Fall silent: the program ends."""
        if self._narrator is not None:
            await self._narrator.aclose()

    def _tell(self, reply: Reply, data: str, number: int) -> None:
        turn = reply.turn
        self._hub.publish(turn.channel, SentenceSpoken(turn.persona.nick, data, reply.id, number))
