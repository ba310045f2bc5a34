"""People say something, or put it before the personas: those whom it calls for answer."""

from asyncio import Task

from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.members import Member
from palabre.core.chat.model import HUMAN_COLOR, MessagePosted, NoticeGiven, Utterance
from palabre.core.chat.rooms import Rooms
from palabre.core.chat.turn_desk import PersonaBusyError, TurnDesk
from palabre.core.chat.turns import Turn, choose_responders
from palabre.kernel.clock import Clock, whole_ms
from palabre.kernel.ids import ChannelName


class Conversation:
    """Starts the turns that answer people, their files and their searches."""

    def __init__(
        self, *, rooms: Rooms, chronicle: Chronicle, turn_desk: TurnDesk, clock: Clock
    ) -> None:
        self._rooms = rooms
        self._chronicle = chronicle
        self._turn_desk = turn_desk
        self._clock = clock

    async def post(
        self, member: Member, words: str, channel: ChannelName | None = None
    ) -> list[Task[None]]:
        """Say *words* in *channel*, or where *member* is; return the turns that this starts.

        Raises:
            StorageError: It could not be kept, and so was told to nobody.
        """
        channel, nick = channel or member.channel, member.nick
        said = Utterance(whole_ms(self._clock.now()), channel, nick, words)
        await self._chronicle.say(said, MessagePosted(nick, words, HUMAN_COLOR))
        self._turn_desk.person_spoke(channel)
        return self.ask(member, words, cause=said)

    def ask(
        self,
        member: Member,
        asked: str,
        *,
        whom: str | None = None,
        cause: Utterance | None = None,
        channel: ChannelName | None = None,
        about: str = "",
        plainly: str = "",
    ) -> list[Task[None]]:
        """Let personas answer *asked* where it was asked; return their turns.

        A persona for whom too many wait already is left out, and *member* is told.

        Args:
            member: Who asks.
            asked: What the personas are told.
            whom: The words that decide who answers; None stands for *asked*. Words that nobody
                in the room chose, such as those of a web page, are not among them.
            cause: What was said that *asked* is; None when it was never said.
            channel: Where *asked* belongs that was never said; None stands for where *member* is.
            about: What documents are searched for; empty stands for *asked*.
            plainly: What a small model is asked; empty stands for *asked*.
        """
        rooms, started = self._rooms, list[Task[None]]()
        where = cause.channel if cause else channel or member.channel
        words = asked if whom is None else whom
        for persona in choose_responders(words, rooms.cast, rooms.max_responders):
            turn = Turn(
                persona,
                where,
                member,
                asked,
                cause=cause,
                about=about,
                plainly=plainly,
                is_tainted=cause is None or cause.text != asked,
            )
            try:
                started.append(self._turn_desk.start(turn))
            except PersonaBusyError as error:
                rooms.tell(member, NoticeGiven(error.text))
        return started
