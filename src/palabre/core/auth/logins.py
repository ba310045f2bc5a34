"""How often one address may try to log in (seed 000 §5.3). Pure."""

from collections import OrderedDict

LOGIN_LIMIT = 5
LOGIN_WINDOW_S = 60

MAX_REMEMBERED = 10_000
"""Addresses whose tries are kept; the one that was quiet longest is forgotten first."""


class LoginWindows:
    """The tries of each address in the last `LOGIN_WINDOW_S` seconds."""

    def __init__(self) -> None:
        self._tries: OrderedDict[str, list[float]] = OrderedDict()

    def admit(self, address: str, now_s: float) -> bool:
        """Say whether a try at *now_s* (monotonic) is admitted; what is refused takes no place."""
        tries = [at for at in self._tries.pop(address, []) if at > now_s - LOGIN_WINDOW_S]
        is_admitted = len(tries) < LOGIN_LIMIT
        if is_admitted:
            tries.append(now_s)
        self._tries[address] = tries
        if len(self._tries) > MAX_REMEMBERED:
            self._tries.popitem(last=False)
        return is_admitted
