"""The people in the rooms: their nicks, and who is where."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from palabre.core.auth.errors import PermissionDeniedError
from palabre.core.auth.model import Permission
from palabre.core.chat.errors import ReadOnlyError
from palabre.core.chat.ports import Sink
from palabre.core.chat.shared_files import upload_window
from palabre.core.chat.visitors import Visitor
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.lookalikes import nick_keys
from palabre.kernel.sliding_window import SlidingWindow


@dataclass(eq=False, slots=True)
class Member:
    """One connection of a person. Identity is the object: a nick can change hands."""

    nick: Nick
    channel: ChannelName
    sink: Sink
    visitor: Visitor = Visitor()  # noqa: RUF009  (frozen)
    uploads: SlidingWindow = field(default_factory=upload_window)

    def demand(self, permission: Permission) -> None:
        """Demand that this person may do that.

        Raises:
            ReadOnlyError: They may only read.
            PermissionDeniedError: Their role may not.
        """
        if not self.visitor.may(permission):
            is_speech = permission is Permission.CHAT_WRITE
            raise ReadOnlyError if is_speech else PermissionDeniedError(permission=permission.value)


class Members:
    """Everybody who is connected.

    No two persons share a nick, nor one that looks the same; connections of one person do.
    """

    def __init__(self) -> None:
        self._by_channel: dict[ChannelName, dict[Member, None]] = {}
        self._by_key: dict[str, dict[Member, None]] = {}
        self._guests = 0

    def __iter__(self) -> Iterator[Member]:
        return (member for here in self._by_channel.values() for member in here)

    def __len__(self) -> int:
        return sum(map(len, self._by_channel.values()))

    def of(self, channel: ChannelName) -> Iterable[Member]:
        """Return who is in *channel*, in the order of their coming."""
        return self._by_channel.get(channel, {})

    def counts(self) -> list[tuple[ChannelName, int]]:
        """Return the channels with people in them and how many, fullest first."""
        counts = ((channel, len(here)) for channel, here in self._by_channel.items())
        return sorted(counts, key=lambda row: (-row[1], row[0]))

    def holders(self, nick: str) -> set[Member]:
        """Return who has *nick* and who has one that looks the same."""
        return {member for key in nick_keys(nick) for member in self._by_key.get(key, ())}

    def nicks(self, channel: ChannelName) -> tuple[Nick, ...]:
        """Return how those in *channel* are called, in the order of their coming."""
        return tuple(dict.fromkeys(member.nick for member in self.of(channel)))

    def guest_nick(self, taken: Iterable[str]) -> Nick:
        """Return the next free `user_<n>`."""
        reserved = frozenset(key for nick in taken for key in nick_keys(nick))
        while True:
            self._guests += 1
            nick = Nick(f"user_{self._guests}")
            if not self.holders(nick) and not nick_keys(nick) & reserved:
                return nick

    def add(self, member: Member) -> None:
        """Note that *member* is here."""
        self._by_channel.setdefault(member.channel, {})[member] = None
        self._name(member, member.nick)

    def remove(self, member: Member) -> None:
        """Note that *member* is gone."""
        here = self._by_channel.get(member.channel, {})
        here.pop(member, None)
        if not here:
            self._by_channel.pop(member.channel, None)
        self._unname(member)

    def rename(self, member: Member, nick: Nick) -> None:
        """Give *member* another nick; its place in the list stays."""
        self._unname(member)
        self._name(member, nick)

    def move(self, member: Member, channel: ChannelName) -> None:
        """Note that *member* is in *channel* now."""
        self.remove(member)
        member.channel = channel
        self.add(member)

    def _name(self, member: Member, nick: Nick) -> None:
        member.nick = nick
        for key in nick_keys(nick):
            self._by_key.setdefault(key, {})[member] = None

    def _unname(self, member: Member) -> None:
        for key in nick_keys(member.nick):
            holders = self._by_key.get(key, {})
            holders.pop(member, None)
            if not holders:
                self._by_key.pop(key, None)
