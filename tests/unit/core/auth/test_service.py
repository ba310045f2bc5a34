from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from palabre.core.auth.errors import (
    LoginRefusedError,
    PermissionDeniedError,
    SessionRequiredError,
    TooManyLoginsError,
)
from palabre.core.auth.model import SESSION_LIFE, Account, Permission, Role
from palabre.core.auth.service import AuthRules, AuthService, Login, fingerprint
from palabre.testing.auth import (
    CountingSecrets,
    MemoryAccountStore,
    MemorySessionStore,
    PlainHasher,
)
from palabre.testing.clock import FrozenClock

HERE = "127.0.0.1"
CLOCK = FrozenClock()
LEA = Account("Lea", Role.EDITOR, "plain:secret", CLOCK.now())


class House:
    def __init__(self, hasher: PlainHasher | None = None, **rules: object) -> None:
        self.clock = FrozenClock()
        self.sessions, self.hasher = MemorySessionStore(), hasher or PlainHasher()
        self.accounts = MemoryAccountStore(LEA)
        self.auth = AuthService(
            accounts=self.accounts,
            sessions=self.sessions,
            hasher=self.hasher,
            secrets=CountingSecrets(),
            clock=self.clock,
            rules=AuthRules(**rules),  # type: ignore[arg-type]
        )

    async def role(self, username: str, **proof: object) -> Role:
        login = Login(username, **proof)  # type: ignore[arg-type]
        return (await self.auth.log_in(login, HERE)).session.role


async def test_a_name_without_proof_is_a_viewer_while_guests_are_let_in() -> None:
    assert await House().role("ana", role=Role.ADMIN) == Role.VIEWER
    with pytest.raises(LoginRefusedError):
        await House(guests=False).role("ana")


async def test_the_token_gives_the_role_that_is_asked_for() -> None:
    house = House(admin_token="long enough")  # noqa: S106
    assert await house.role("ana", role=Role.ADMIN, token="long enough") == Role.ADMIN  # noqa: S106
    assert await house.role("ana", token="long enough") == Role.VIEWER  # noqa: S106


async def test_without_a_token_of_the_house_none_is_right() -> None:
    assert await House().role("ana", role=Role.ADMIN, token="") == Role.VIEWER


async def test_an_account_needs_its_password_and_gets_its_role() -> None:
    house = House(admin_token="long enough")  # noqa: S106
    assert await house.role("lea", password="secret") == Role.EDITOR  # noqa: S106
    for proof in ({}, {"password": "wrong"}, {"token": "long enough", "role": Role.ADMIN}):
        with pytest.raises(LoginRefusedError):
            await house.role("LEA", **proof)


async def test_a_session_has_the_name_as_it_was_added_however_it_is_typed() -> None:
    login = Login("LEA", password="secret")  # noqa: S106
    assert (await House().auth.log_in(login, HERE)).session.username == "Lea"


@pytest.mark.parametrize("guests", [True, False])
@pytest.mark.parametrize("admin_token", ["", "long enough"])
@pytest.mark.parametrize("username", ["lea", "nobody"])
@pytest.mark.parametrize(
    "proof",
    [
        {"password": "wrong"},
        {"token": "wrong"},
        {"token": "wrong", "role": Role.ADMIN},
        {"token": "", "password": "wrong", "role": Role.ADMIN},
        {"token": "long enough", "password": "wrong"},
    ],
)
async def test_every_refusal_compares_one_password_whatever_is_wrong(
    username: str, proof: dict[str, object], admin_token: str, *, guests: bool
) -> None:
    house = House(guests=guests, admin_token=admin_token)
    with pytest.raises(LoginRefusedError):
        await house.role(username, **proof)
    known = "plain:secret" if username == "lea" else None
    assert house.hasher.verified == [(proof.get("password", ""), known)]


async def test_who_is_no_guest_where_none_are_let_in_waits_as_long() -> None:
    house = House(guests=False)
    with pytest.raises(LoginRefusedError):
        await house.role("ana")
    assert house.hasher.verified == [("", None)]


async def test_the_sixth_login_within_a_minute_is_refused_right_or_wrong() -> None:
    house = House()
    for _ in range(5):
        await house.role("ana")
    with pytest.raises(TooManyLoginsError):
        await house.role("ana")
    house.clock.advance(60)
    assert await house.role("ana") == Role.VIEWER


async def test_a_session_is_known_by_its_id_alone_and_its_id_is_kept_nowhere() -> None:
    house = House()
    entered = await house.auth.log_in(Login("ana"), HERE)
    assert await house.auth.session(entered.session_id) == entered.session
    assert list(house.sessions.sessions) == [fingerprint(entered.session_id)]
    for guess in ("", "0" * 64, entered.session.fingerprint):
        with pytest.raises(SessionRequiredError):
            await house.auth.session(guess)


async def test_a_session_ends_after_its_time_to_the_moment() -> None:
    house = House()
    entered = await house.auth.log_in(Login("ana"), HERE)
    house.clock.advance(SESSION_LIFE.total_seconds() - 0.001)
    await house.auth.session(entered.session_id)
    house.clock.advance(0.001)
    with pytest.raises(SessionRequiredError):
        await house.auth.session(entered.session_id)
    assert house.sessions.sessions == {}


class SlowHasher(PlainHasher):
    """While it compares, something else happens."""

    meanwhile: Callable[[], Awaitable[None]]

    async def verify(self, password: str, password_hash: str | None) -> bool:
        await self.meanwhile()
        return await super().verify(password, password_hash)


@pytest.mark.parametrize(
    "change",
    [
        lambda accounts: accounts.set_password("Lea", "plain:another"),
        lambda accounts: accounts.set_role("Lea", Role.VIEWER),
        lambda accounts: accounts.remove("Lea"),
    ],
)
async def test_an_account_that_changes_while_its_password_is_compared_lets_nobody_in(
    change: Callable[[MemoryAccountStore], Awaitable[None]],
) -> None:
    hasher = SlowHasher()
    house = House(hasher)
    hasher.meanwhile = lambda: change(house.accounts)
    with pytest.raises(LoginRefusedError):
        await house.role("lea", password="secret")  # noqa: S106
    assert house.sessions.sessions == {}


async def test_a_session_ends_with_the_logout() -> None:
    house = House()
    entered = await house.auth.log_in(Login("ana"), HERE)
    await house.auth.log_out(entered.session_id)
    with pytest.raises(SessionRequiredError):
        await house.auth.session(entered.session_id)


async def test_ended_sessions_are_swept_at_the_next_login() -> None:
    house = House()
    await house.auth.log_in(Login("ana"), HERE)
    house.clock.advance(timedelta(hours=8).total_seconds())
    await house.auth.log_in(Login("bob"), HERE)
    assert [each.username for each in house.sessions.sessions.values()] == ["bob"]


async def test_a_role_may_do_what_it_may_and_nothing_else() -> None:
    house = House()
    entered = await house.auth.log_in(Login("ana"), HERE)
    await house.auth.permit(entered.session_id, Permission.CHAT_READ)
    with pytest.raises(PermissionDeniedError) as caught:
        await house.auth.permit(entered.session_id, Permission.PERSONA_WRITE)
    assert caught.value.data["permission"] == "persona:write"
