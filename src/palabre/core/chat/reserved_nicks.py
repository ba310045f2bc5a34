"""Usernames of accounts: where nicks are free, nobody else may take one of them."""

from palabre.core.auth.ports import AccountStore
from palabre.core.personas.nicks import nick_keys
from palabre.kernel.clock import Clock

FRESH_S = 5.0
"""So long are the accounts believed to be as they were."""


class ReservedNicks:
    """The nicks that look like a username, whatever their case and shape."""

    def __init__(self, accounts: AccountStore | None, clock: Clock) -> None:
        self._accounts = accounts
        self._clock = clock
        self._holders: dict[str, str] = {}
        self._read_at_s: float | None = None

    async def is_reserved(self, nick: str, username: str) -> bool:
        """Say whether *nick* belongs to an account other than that of *username*.

        Raises:
            StorageError: The accounts cannot be read.
        """
        await self._refresh()
        holders = {self._holders[key] for key in nick_keys(nick) if key in self._holders}
        return bool(holders - {username.casefold()})

    async def _refresh(self) -> None:
        now_s = self._clock.monotonic()
        if self._accounts is None or (
            self._read_at_s is not None and now_s < self._read_at_s + FRESH_S
        ):
            return
        names = [each.username for each in await self._accounts.all()]
        self._holders = {key: name.casefold() for name in names for key in nick_keys(name)}
        self._read_at_s = now_s
