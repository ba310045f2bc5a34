"""What is known of one answer while it is being given."""

from palabre.core.chat.speech import SpeechCleaner
from palabre.core.chat.turns import Turn
from palabre.core.speech.narrator import Narration
from palabre.kernel.ids import ReplyId
from palabre.kernel.text import Text

PARAGRAPH = "\n\n"
"""Between what is said before and after tools are used."""

MAX_ANSWER_CHARS = 200_000
"""Longest answer that is read: servers need not heed what they are asked for."""


class Reply:
    """One answer while it is being given.

    Attributes:
        speech: What was shown so far; after tools were used, what was shown since.
        pieces: In how many pieces.
        broken_off: What the room says of its being cut short; None while nobody did that.
        is_ending: Whether all was said, and only the keeping of it is left: too late to stop.
        left_chars: What the model may still write, thoughts included; negative once it was cut.
        overtaken: Whether a person spoke since: it calls on no other persona then.
        narration: Its being said aloud; None while it is not.
        said_before: What was shown before tools were used.
        goes_on: Whether anything was shown since.
        used_tools: Whether what tools found may be in it.
        is_announced: Whether the room was told that the persona writes.
    """

    def __init__(self, turn: Turn, reply_id: ReplyId) -> None:
        self.turn = turn
        self.id = reply_id
        self.speech = SpeechCleaner(turn.persona.nick)
        self.pieces = 0
        self.left_chars = MAX_ANSWER_CHARS
        self.broken_off: Text | None = None
        self.is_ending = False
        self.overtaken = False
        self.narration: Narration | None = None
        self.said_before = ""
        self.goes_on = False
        self.used_tools = False
        self.is_announced = False

    @property
    def words(self) -> str:
        """All that was shown so far, as it will be told."""
        return PARAGRAPH.join(part for part in (self.said_before, self.speech.text) if part)

    @property
    def is_heard(self) -> bool:
        """Say whether it is being said aloud still."""
        return self.narration is not None and self.narration.is_going_on
