"""Let people in, know them again, let them go (seed 000 §15, facts 3.1)."""

import hashlib
import hmac
from dataclasses import dataclass
from math import ceil

from palabre.core.auth.errors import (
    LoginRefusedError,
    PermissionDeniedError,
    SessionRequiredError,
    TooManyLoginsError,
)
from palabre.core.auth.logins import LOGIN_LIMIT, LOGIN_WINDOW_S, LoginWindows
from palabre.core.auth.model import SESSION_LIFE, Account, Permission, Role, Session
from palabre.core.auth.ports import AccountStore, PasswordHasher, Secrets, SessionStore
from palabre.kernel.clock import Clock, whole_ms


@dataclass(frozen=True, slots=True)
class AuthRules:
    """What the owner has decided.

    Attributes:
        admin_token: Whoever has it may ask for any role; empty: nobody may.
        guests: Whether a name without any proof gets a viewer's session.
    """

    admin_token: str = ""
    guests: bool = True


@dataclass(frozen=True, slots=True)
class Login:
    """What somebody says who wants to come in."""

    username: str
    role: Role | None = None
    token: str = ""
    password: str = ""


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """A new session and its id, which only its holder is told."""

    session_id: str
    session: Session


class AuthService:
    """Sessions and who gets them."""

    def __init__(
        self,
        *,
        accounts: AccountStore,
        sessions: SessionStore,
        hasher: PasswordHasher,
        secrets: Secrets,
        clock: Clock,
        rules: AuthRules,
    ) -> None:
        self._accounts = accounts
        self._sessions = sessions
        self._hasher = hasher
        self._secrets = secrets
        self._clock = clock
        self._rules = rules
        self._windows = LoginWindows()

    @property
    def lets_guests_in(self) -> bool:
        """Whether a name without any proof gets a session."""
        return self._rules.guests

    async def log_in(self, login: Login, address: str) -> LoggedIn:
        """Begin a session; every try of *address* counts, right or wrong.

        The name of an account needs its password and gets its role; however it was written, the
        session has it as it was added. Another name gets the
        role it asks for with the right token; without any proof it is a guest, a viewer. Whoever
        is refused has had one password compared: how long that took tells nothing.

        Raises:
            TooManyLoginsError: *address* tried too often.
            LoginsBusyError: Too many wait for their passwords to be compared.
            LoginRefusedError: The proof is wrong, or there is none and guests are not let in.
        """
        wait_s = self._windows.admit(address, self._clock.monotonic())
        if wait_s:
            raise TooManyLoginsError(
                limit=LOGIN_LIMIT, window_s=LOGIN_WINDOW_S, retry_after_s=ceil(wait_s)
            )
        account = await self._accounts.find(login.username)
        role = await self._role(login, account)
        now = whole_ms(self._clock.now())
        await self._sessions.remove_ended(now)
        session_id = self._secrets.session_id()
        username = account.username if account else login.username
        session = Session(fingerprint(session_id), username, role, now, now + SESSION_LIFE)
        await self._sessions.add(session)
        await self._recheck(session, account)
        return LoggedIn(session_id, session)

    async def session(self, session_id: str) -> Session:
        """Return the session of *session_id*.

        Raises:
            SessionRequiredError: There is none, or it has ended.
        """
        found = await self._sessions.find(fingerprint(session_id)) if session_id else None
        if found is None:
            raise SessionRequiredError
        if found.expires_at <= self._clock.now():
            await self._sessions.remove(found.fingerprint)
            raise SessionRequiredError
        return found

    async def permit(self, session_id: str, permission: Permission) -> Session:
        """Return the session of *session_id* if it may do that.

        Raises:
            SessionRequiredError: As `session`.
            PermissionDeniedError: Its role may not.
        """
        session = await self.session(session_id)
        if not session.may(permission):
            raise PermissionDeniedError(permission=permission.value)
        return session

    async def log_out(self, session_id: str) -> None:
        """End the session of *session_id*, if there is one."""
        await self._sessions.remove(fingerprint(session_id))

    async def _recheck(self, session: Session, account: Account | None) -> None:
        """Undo a login whose account was changed while its password was compared.

        Whoever changed it has ended the sessions of that name, before there was this one.
        """
        if await self._accounts.find(session.username) != account:
            await self._sessions.remove(session.fingerprint)
            raise LoginRefusedError

    async def _role(self, login: Login, account: Account | None) -> Role:
        if account is None and not login.password:
            if self._has_token(login.token):
                return login.role or Role.VIEWER
            if self._rules.guests and not login.token:
                return Role.VIEWER
        return await self._proven(account, login.password)

    async def _proven(self, account: Account | None, password: str) -> Role:
        known_hash = account.password_hash if account else None
        if not await self._hasher.verify(password, known_hash) or account is None:
            raise LoginRefusedError
        return account.role

    def _has_token(self, token: str) -> bool:
        wanted = self._rules.admin_token
        return bool(wanted) and hmac.compare_digest(token.encode(), wanted.encode())


def fingerprint(session_id: str) -> str:
    """Return what is kept of *session_id*: who reads the store cannot come in by it."""
    return hashlib.sha256(session_id.encode()).hexdigest()
