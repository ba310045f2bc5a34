"""A conversation as a client knows it: frames in, state out. No I/O, no clock, no widgets.

Source: seed 000 §5.2, §5.4, §5.7, §5.8. Frames of other servers of that seed are understood too:
chunks without `replyId` are gathered by nick.
"""

import re
from collections import deque
from dataclasses import replace
from functools import singledispatchmethod

from msgspec import UNSET, UnsetType

from palabre.surfaces.rooms.tui import pending, phrases, replay
from palabre.surfaces.rooms.tui.color import is_color
from palabre.surfaces.rooms.tui.entry import Draft, Entry, Kind
from palabre.surfaces.rooms.tui.hygiene import MAX_CHARACTERS, clean, clean_nick
from palabre.surfaces.rooms.tui.media import MAX_MEDIA, Medium
from palabre.wire.rooms import (
    Audio,
    ChannelInfo,
    Chunk,
    ClientFrame,
    Image,
    Join,
    Message,
    Music,
    Part,
    Persona,
    SendCommand,
    ServerFrame,
    System,
    UploadTicket,
    UserList,
)

DEFAULT_CHANNEL = "#general"
MAX_ENTRIES = 500
MAX_DRAFTS = 50
CLEAR = "__clear__"
CUT = "…"
_WHO = re.compile(r"/who\s*", re.IGNORECASE)


class Session:
    """What one client knows of its conversation.

    Attributes:
        nick: Our name, None until the server told it.
        wanted_nick: What to ask for at the next connect; None lets the server choose.
        by_account: Whether our name is that of an account: `/nick` gives no other.
        channel: Where we are.
        home: Where the server puts who comes in.
        users: Everybody in the channel, people and personas, in the server's order. While the
            connection is lost: who was there last.
        personas: Colour of each persona by nick; empty when the server sent an invalid one.
        entries: The last 500.
        drafts: Replies that are growing, by reply id or by nick, oldest first.
        writing: Who was announced to write and has not begun, by reply id or nick.
        unread: Messages since the reader looked away.
        first_unread: Id of the first of them; stays as a mark until the next look away.
        connects: How often a connection was opened.
        media: The last pictures and pieces of music, which can be saved.
    """

    def __init__(self, nick: str | None = None, *, by_account: bool = False) -> None:
        self.nick: str | None = None
        self.wanted_nick = nick
        self.by_account = by_account
        self.channel = DEFAULT_CHANNEL
        self.home = DEFAULT_CHANNEL
        self.users: tuple[str, ...] = ()
        self.personas: dict[str, str] = {}
        self.entries: deque[Entry] = deque(maxlen=MAX_ENTRIES)
        self.drafts: dict[str, Draft] = {}
        self.writing: dict[str, str] = {}
        self.unread = 0
        self.first_unread: int | None = None
        self.connects = 0
        self.media: deque[Medium] = deque(maxlen=MAX_MEDIA)
        self._pending: pending.Pending = ()
        self._asks_who = False
        self._watched = True
        self._greeting = False
        self._moves = False
        self._back_to: str | None = None
        self._replayed: list[Entry] | None = None
        self._outgoing: list[ClientFrame] = []
        self._ids = 0

    @property
    def people(self) -> tuple[str, ...]:
        """Those of `users` who are no personas."""
        return tuple(user for user in self.users if user not in self.personas)

    @property
    def present_personas(self) -> tuple[str, ...]:
        """Those of `users` who are personas; all that are known while the list is not here."""
        if not self.users:
            return tuple(self.personas)
        return tuple(user for user in self.users if user in self.personas)

    @property
    def writers(self) -> tuple[str, ...]:
        """Who is writing, announced or with a growing reply; each once."""
        drafting = (draft.nick for draft in self.drafts.values())
        return tuple(dict.fromkeys((*drafting, *self.writing.values())))

    @property
    def waiting(self) -> tuple[str, ...]:
        """Messages that we sent and that the server has not said yet, oldest first."""
        return tuple(line for line in self._pending if not pending.is_command(line))

    def take_waiting(self) -> tuple[str, ...]:
        """Return `waiting`, once, and wait no longer."""
        waiting, self._pending = self.waiting, ()
        return waiting

    def take_question(self) -> bool:
        """Return, once, whether we asked who is here."""
        asked, self._asks_who = self._asks_who, False
        return asked

    def take_outgoing(self) -> list[ClientFrame]:
        """Return what must be sent now, once."""
        frames, self._outgoing = self._outgoing, []
        return frames

    # What the shell tells us

    def opened(self) -> None:
        """A connection was opened: the greeting follows, at home."""
        self.connects += 1
        self._back_to = self.channel if self.channel != self.home else None
        self.channel = self.home
        self._moves = False
        self.drafts.clear()
        self.writing.clear()
        self._greeting = True
        self._replayed = None

    def closed(self, hour: str) -> None:
        """The connection was lost: nobody writes any more; what was being said stays, as cut."""
        self._show_history(hour)
        for draft in self.drafts.values():
            words = f"{'' if draft.whole else CUT}{draft.text.strip()} {CUT}"
            self._add(Kind.CUT, words, draft.hour, draft.nick, draft.color)
        self.drafts.clear()
        self.writing.clear()
        self._asks_who = False
        self.channel = self._back_to or self.channel
        self.wanted_nick = self.wanted_nick or self.nick

    def sent(self, line: str) -> None:
        """*line* was sent, such as `/join`: where we are is from now on our wish."""
        self._moves = True
        self._pending = pending.with_line(self._pending, line)
        self._asks_who = self._asks_who or _WHO.fullmatch(line) is not None

    def watch(self, *, watched: bool) -> None:
        """Say whether the reader sees the end of the log; only then messages count as read."""
        if self._watched and not watched:
            self.first_unread = None
        self._watched = watched
        if watched:
            self.unread = 0

    def note(self, text: str, hour: str) -> None:
        """Add a line of the client's own."""
        self._add(Kind.NOTE, text, hour)

    def answer(self, text: str, hour: str) -> None:
        """Add what the server told in a frame without words."""
        self._add(Kind.SYSTEM, text, hour)

    def clear(self) -> None:
        """Empty the log; what is being written goes on."""
        self.entries.clear()
        self.unread = 0
        self.first_unread = None

    # What the server tells us

    def receive(self, frame: ServerFrame, hour: str) -> None:
        """Take one frame that arrived at *hour* (`HH:MM`)."""
        if self._replayed is None:
            self._pending = pending.after_frame(self._pending, frame, self.nick)
        self._take(frame, hour)

    @singledispatchmethod
    def _take(self, frame: ServerFrame, hour: str) -> None:
        raise TypeError(frame, hour)

    @_take.register
    def _(self, frame: Message, hour: str) -> None:
        if self._replayed is not None and frame.seq is UNSET:
            self._replayed.append(self._replayed_entry(frame, hour))
            return
        nick = clean_nick(frame.nick)
        self._end_reply(frame.reply_id, nick)
        self._add(Kind.MESSAGE, frame.text, hour, nick, self._checked(frame.color))
        if frame.reply_id is not UNSET:
            self.entries[-1] = replace(self.entries[-1], reply_id=frame.reply_id)

    @_take.register
    def _(self, frame: Chunk, hour: str) -> None:
        nick = clean_nick(frame.nick)
        key = self._key(frame.reply_id, nick)
        self.writing.pop(key, None)
        self.writing.pop(self._key(UNSET, nick), None)
        draft = self.drafts.get(key)
        if draft is None or frame.seq <= draft.seq:
            self.drafts.pop(key, None)
            draft = Draft(nick, self._checked(frame.color), "", hour, 0, frame.seq == 1)
        text = (draft.text + frame.text)[:MAX_CHARACTERS]
        self.drafts[key] = replace(draft, text=text, seq=frame.seq)
        if len(self.drafts) > MAX_DRAFTS:
            self.drafts.pop(next(iter(self.drafts)))

    @_take.register
    def _(self, frame: System, hour: str) -> None:
        if frame.text == CLEAR:
            self.clear()
        elif writer := phrases.typing_nick(frame.text):
            nick = clean_nick(writer)
            self.writing[self._key(frame.reply_id, nick)] = nick
        elif self._greeting and (told := phrases.my_nick(frame.text)):
            self._motd(frame.text, told, hour)
        else:
            self._system_line(frame, hour)

    @_take.register
    def _(self, frame: Join, hour: str) -> None:
        nick = clean_nick(frame.nick)
        if nick not in self.users and self._is_here(frame.channel):
            self.users = (nick, *self.users)
        self._add(Kind.JOIN, frame.text, hour, nick)

    @_take.register
    def _(self, frame: Part, hour: str) -> None:
        nick = clean_nick(frame.nick)
        if self._is_here(frame.channel):
            self.users = tuple(user for user in self.users if user != nick)
        self._add(Kind.PART, frame.text, hour, nick)

    @_take.register
    def _(self, frame: UserList, _hour: str) -> None:
        self.users = tuple(dict.fromkeys(clean_nick(user) for user in frame.users))
        if self._greeting:
            self._greeting = False
            if self._back_to:
                self._moves = True
                self._outgoing.append(SendCommand(f"/join {self._back_to}"))

    @_take.register
    def _(self, frame: Persona, _hour: str) -> None:
        self.personas[clean_nick(frame.nick)] = self._checked(frame.color)

    @_take.register
    def _(self, frame: ChannelInfo, hour: str) -> None:
        self.channel = clean_nick(frame.channel)
        if not self._moves:
            self.home = self.channel
        self._back_to = None
        self.drafts.clear()
        self.writing.clear()
        self._add(Kind.DIVIDER, self.channel, hour)

    @_take.register
    def _(self, frame: Image, hour: str) -> None:
        medium = self._keep(frame.image_mime, frame.image_data)
        self._add_media(frame.nick, frame.text, medium, hour)

    @_take.register
    def _(self, frame: Music, hour: str) -> None:
        medium = self._keep(frame.audio_mime, frame.audio_data)
        self._add_media(frame.nick, frame.text, medium, hour)

    @_take.register
    def _(self, frame: Audio, _hour: str) -> None:
        """A spoken sentence repeats what is written."""

    @_take.register
    def _(self, frame: UploadTicket, _hour: str) -> None:
        """Who judges an answer shows it; see `judging`."""

    # How

    def _motd(self, text: str, nick: str, hour: str) -> None:
        changed = clean_nick(nick) != self.nick
        self.nick = clean_nick(nick)
        if self.connects == 1 or changed:
            self._add(Kind.SYSTEM, text, hour)

    def _system_line(self, frame: System, hour: str) -> None:
        if phrases.starts_replay(frame.text):
            self._replayed = []
            return
        if phrases.ends_replay(frame.text):
            self._show_history(hour)
            return
        self._end_failed_reply(frame)
        self._follow_rename(frame.text)
        self._add(Kind.SYSTEM, frame.text, hour)

    def _end_failed_reply(self, frame: System) -> None:
        """An error or a silence takes the place of the final message.

        A line before the first word may also say why that takes long: then it begins with no nick.
        """
        if self._key(frame.reply_id, "") in self.drafts:
            self._end_reply(frame.reply_id, "")
        for nick in self.writers:
            if phrases.speaks_of(frame.text, nick):
                self._end_reply(UNSET, nick)

    def _end_reply(self, reply_id: str | UnsetType, nick: str) -> None:
        """Forget the draft and the announcement of a reply; by nick when its id is not known."""
        for key in (self._key(reply_id, nick), self._key(UNSET, nick)):
            self.drafts.pop(key, None)
            self.writing.pop(key, None)
        if reply_id is UNSET:
            self.drafts = {k: draft for k, draft in self.drafts.items() if draft.nick != nick}
            self.writing = {k: writer for k, writer in self.writing.items() if writer != nick}

    def _follow_rename(self, text: str) -> None:
        names = phrases.renamed(text)
        if names and clean_nick(names[0]) == self.nick:
            self.nick = self.wanted_nick = clean_nick(names[1])

    def _replayed_entry(self, frame: Message, hour: str) -> Entry:
        told = phrases.replayed(frame.text)
        then, words = told or (hour, frame.text)
        color = self._checked(frame.color)
        return Entry(0, Kind.MESSAGE, clean(words), then, clean_nick(frame.nick), color)

    def _show_history(self, hour: str) -> None:
        entries, self._replayed = self._replayed, None
        if not entries:
            return
        shown = [(e.nick, e.text) for e in self.entries if e.kind is Kind.MESSAGE]
        new = entries[replay.unseen(shown, [(e.nick, e.text) for e in entries]) :]
        if not new:
            return
        self._add(Kind.DIVIDER, "history", hour)
        for entry in new:
            self.entries.append(replace(entry, id=self._next_id()))
        self._add(Kind.DIVIDER, "now", hour)

    def _keep(self, mime: str, data: str) -> Medium:
        number = self.media[-1].number + 1 if self.media else 1
        self.media.append(Medium(number, mime, data))
        return self.media[-1]

    def _add_media(self, nick: str, text: str, medium: Medium, hour: str) -> None:
        size_kb = max(1, len(medium.data) * 3 // 4 // 1024)
        words = f"{text}  ({clean_nick(medium.mime)}, {size_kb} kB)  /save {medium.number}"
        self._add(Kind.MEDIA, words, hour, clean_nick(nick))

    def _add(self, kind: Kind, text: str, hour: str, nick: str = "", color: str = "") -> None:
        words = clean(text)
        called = (
            kind is Kind.MESSAGE
            and self.nick is not None
            and nick != self.nick
            and phrases.mentions(words, self.nick)
        )
        entry = Entry(self._next_id(), kind, words, hour, nick, color, called)
        self.entries.append(entry)
        if not self._watched and kind in (Kind.MESSAGE, Kind.MEDIA):
            self.unread += 1
            self.first_unread = self.first_unread or entry.id

    def _is_here(self, channel: str) -> bool:
        return channel == self.channel

    def _next_id(self) -> int:
        self._ids += 1
        return self._ids

    @staticmethod
    def _key(reply_id: str | UnsetType, nick: str) -> str:
        """Chunks belong together by reply id, and by nick when the server sends none."""
        return f"nick {nick}" if reply_id is UNSET else f"reply {reply_id}"

    @staticmethod
    def _checked(color: str) -> str:
        return color if is_color(color) else ""
