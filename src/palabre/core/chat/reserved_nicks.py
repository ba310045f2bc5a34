"""Usernames of accounts: nobody else may take one of them, or what looks like one."""

from collections import defaultdict

from palabre.core.auth.ports import AccountStore
from palabre.kernel.clock import Clock
from palabre.kernel.lookalikes import nick_keys

FRESH_S = 5.0
"""So long are the accounts believed to be as they were."""


class ReservedNicks:
    """The nicks that look like a username, whatever their case and shape."""

    def __init__(self, accounts: AccountStore | None, clock: Clock) -> None:
        self._accounts = accounts
        self._clock = clock
        self._holders: dict[str, set[str]] = {}
        self._read_at_s: float | None = None

    async def is_reserved(self, nick: str, username: str) -> bool:
        """Say whether *nick* belongs to an account other than that of *username*.

        Whose name it is to the letter comes before whom it looks like.

        Raises:
            StorageError: The accounts cannot be read.
        """
        await self._refresh()
        holders = {name for key in nick_keys(nick) for name in self._holders.get(key, ())}
        exact = holders & {nick.casefold()}
        return bool(holders) and username.casefold() not in (exact or holders)

    async def _refresh(self) -> None:
        now_s = self._clock.monotonic()
        if self._accounts is None or (
            self._read_at_s is not None and now_s < self._read_at_s + FRESH_S
        ):
            return
        holders: dict[str, set[str]] = defaultdict(set)
        for each in await self._accounts.all():
            for key in nick_keys(each.username):
                holders[key].add(each.username.casefold())
        self._holders, self._read_at_s = holders, now_s
