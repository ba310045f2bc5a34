"""Notice that a session has ended while its holder is still here."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from palabre.core.auth.model import Session
from palabre.core.auth.ports import SessionStore
from palabre.kernel.clock import Clock
from palabre.kernel.errors import StorageError

EVERY_S = 2.0
"""A session that was taken back, here or by another process, is noticed so soon."""

_log = logging.getLogger(__name__)


class SessionWatch:
    """Looks again and again whether sessions in use are still some, with one question for all."""

    def __init__(self, sessions: SessionStore, clock: Clock, every_s: float = EVERY_S) -> None:
        self._sessions = sessions
        self._clock = clock
        self._every_s = every_s
        self._watched: dict[object, tuple[Session, Callable[[], None]]] = {}

    @contextmanager
    def watching(self, session: Session, ended: Callable[[], None]) -> Iterator[None]:
        """Call *ended* once, when *session* ends within the block."""
        key = object()
        self._watched[key] = (session, ended)
        try:
            yield
        finally:
            self._watched.pop(key, None)

    async def is_current(self, session: Session) -> bool:
        """Say whether *session* has neither ended nor been taken back.

        Raises:
            StorageError: Nobody knows.
        """
        found = await self._sessions.still([session.fingerprint], self._clock.now())
        return session.fingerprint in found

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await asyncio.sleep(self._every_s)
            try:
                await self.look()
            except StorageError:
                _log.warning("sessions could not be looked at", exc_info=True)

    async def look(self) -> None:
        """Look once; nothing is asked where nobody is watched.

        Raises:
            StorageError: Nobody knows who is still in.
        """
        watched = dict(self._watched)
        if not watched:
            return
        fingerprints = {session.fingerprint for session, _ in watched.values()}
        still = await self._sessions.still(fingerprints, self._clock.now())
        for key, (session, ended) in watched.items():
            if session.fingerprint not in still and key in self._watched:
                del self._watched[key]
                ended()
