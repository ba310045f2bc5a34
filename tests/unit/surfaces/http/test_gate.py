"""Who is let through, and how a request shows its session."""

from ipaddress import ip_network

import pytest
from starlette.requests import Request

from palabre.core.auth.errors import (
    PermissionDeniedError,
    SessionRequiredError,
    SubnetDeniedError,
)
from palabre.core.auth.model import PERMISSIONS, Permission, Role
from palabre.core.auth.service import AuthRules, AuthService, Login
from palabre.surfaces.http.gate import (
    OPEN,
    Demand,
    Everybody,
    Gate,
    actor_of,
    address_of,
    demand_of,
    networks_of,
    session_id_of,
    session_of,
)
from palabre.testing.auth import (
    CountingSecrets,
    MemoryAccountStore,
    MemorySessionStore,
    PlainHasher,
)
from palabre.testing.clock import FrozenClock

HERE = "127.0.0.1"
TOKEN = "the owner's"  # noqa: S105
GUESSED = "ab" * 32


class House:
    def __init__(self, *subnets: str) -> None:
        self.clock = FrozenClock()
        self.auth = AuthService(
            accounts=MemoryAccountStore(),
            sessions=MemorySessionStore(),
            hasher=PlainHasher(),
            secrets=CountingSecrets(),
            clock=self.clock,
            rules=AuthRules(admin_token=TOKEN),
        )
        self.gate = Gate(self.auth, networks_of(subnets))

    async def session_id(self, role: Role) -> str:
        login = Login("ana", role, TOKEN)
        return (await self.auth.log_in(login, HERE)).session_id


def request(*headers: tuple[str, str], client: str | None = HERE) -> Request:
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    peer = (client, 1234) if client is not None else None
    return Request({"type": "http", "method": "GET", "headers": raw, "client": peer, "state": {}})


def cookie(value: str) -> tuple[str, str]:
    return "cookie", f"kxkm_v2_session={value}"


@pytest.mark.parametrize(
    ("headers", "shown"),
    [
        ([], ""),
        ([cookie("a")], "a"),
        ([("x-session-id", "b")], "b"),
        ([("x-session-id", "b"), cookie("a")], "a"),
        ([("x-session-id", "b"), cookie("")], "b"),
        ([("cookie", "theme=dark; kxkm_v2_session=a; x=y")], "a"),
        ([("cookie", "theme=dark;kxkm_v2_session=a")], "a"),
        ([("cookie", "theme=dark"), cookie("a")], "a"),
        ([("cookie", "kxkm_v2_session=a; kxkm_v2_session=c")], "a"),
        ([("cookie", "kxkm_v2_session=; kxkm_v2_session=c")], "c"),
        ([("cookie", 'kxkm_v2_session="a"')], "a"),
        ([("cookie", "kxkm_v2_session=a=b")], "a=b"),
        ([("cookie", "akxkm_v2_session=a; kxkm_v2_sessionb=a")], ""),
        ([("cookie", ";;=; =x; kxkm_v2_session")], ""),
        ([cookie("é\xff")], "é\xff"),
        ([cookie("a" * 129)], ""),
        ([("x-session-id", "a" * 100_000)], ""),
    ],
)
def test_the_first_cookie_counts_and_then_the_header(
    headers: list[tuple[str, str]], shown: str
) -> None:
    assert session_id_of(request(*headers)) == shown


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("permission", Permission)
async def test_the_matrix_decides_who_may_do_what(role: Role, permission: Permission) -> None:
    house = House()
    asking = request(cookie(await house.session_id(role)))
    demand = demand_of([house.gate.needs(permission)])
    assert isinstance(demand, Demand)
    if permission in PERMISSIONS[role]:
        await demand(asking)
        assert session_of(asking).role is role
        assert actor_of(asking).role == role.value
    else:
        with pytest.raises(PermissionDeniedError) as caught:
            await demand(asking)
        assert caught.value.data == {"permission": permission.value}


async def test_any_session_will_do_where_no_permission_is_named_but_one_must_be_there() -> None:
    house = House()
    demand = demand_of([house.gate.needs()])
    assert isinstance(demand, Demand)
    asking = request(cookie(await house.session_id(Role.VIEWER)))
    await demand(asking)
    assert actor_of(asking).name == "ana"
    assert actor_of(asking).address == HERE
    for shown in ("", GUESSED, "é\xff", "0" * 64):
        with pytest.raises(SessionRequiredError):
            await demand(request(cookie(shown)))


async def test_a_session_that_ended_or_was_taken_back_is_none() -> None:
    house = House()
    demand = demand_of([house.gate.needs()])
    assert isinstance(demand, Demand)
    revoked, old = await house.session_id(Role.ADMIN), await house.session_id(Role.ADMIN)
    await house.auth.log_out(revoked)
    house.clock.advance(8 * 3600)
    for shown in (revoked, old):
        with pytest.raises(SessionRequiredError):
            await demand(request(cookie(shown)))


@pytest.mark.parametrize(
    ("subnets", "address", "is_admitted"),
    [
        ((), "203.0.113.7", True),
        ((), None, True),
        (("10.0.0.0/8",), "10.255.0.1", True),
        (("10.0.0.0/8",), "::ffff:10.255.0.1", True),
        (("10.0.0.0/8",), "11.0.0.1", False),
        (("10.0.0.0/8",), "2001:db8::1", False),
        (("::ffff:10.0.0.0/104",), "10.1.2.3", True),
        (("::ffff:10.0.0.0/104",), "11.1.2.3", False),
        (("2001:db8::/32", "192.168.1.7"), "2001:db8:ffff::1", True),
        (("2001:db8::/32", "192.168.1.7"), "192.168.1.7", True),
        (("2001:db8::/32", "192.168.1.7"), "192.168.1.8", False),
        (("0.0.0.0/0",), "203.0.113.7", True),
        (("0.0.0.0/0",), "2001:db8::1", False),
        (("::/0",), "203.0.113.7", False),
        (("::/0",), "fe80::1%eth0", True),
        (("0.0.0.0/0", "::/0"), "a name", False),
        (("0.0.0.0/0", "::/0"), None, False),
    ],
)
async def test_administrators_come_from_their_network(
    subnets: tuple[str, ...], address: str | None, *, is_admitted: bool
) -> None:
    house = House(*subnets)
    shown = cookie(await house.session_id(Role.ADMIN))
    asking = request(shown, client=address)
    demand = demand_of([house.gate.admin_needs(Permission.SESSION_MANAGE)])
    assert isinstance(demand, Demand)
    if is_admitted:
        await demand(asking)
        assert session_of(asking).role is Role.ADMIN
    else:
        with pytest.raises(SubnetDeniedError):
            await demand(asking)
    anywhere = demand_of([house.gate.needs(Permission.SESSION_MANAGE)])
    assert isinstance(anywhere, Demand)
    await anywhere(request(shown, client=address))


async def test_the_network_is_asked_before_the_session() -> None:
    demand = demand_of([House("10.0.0.0/8").gate.admin_needs(Permission.OPS_READ)])
    assert isinstance(demand, Demand)
    with pytest.raises(SubnetDeniedError):
        await demand(request())


@pytest.mark.parametrize("name", ["", "10.0.0.0/33", "10.0.0", "localhost", "10.0.0.0/8,"])
def test_what_is_no_network_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="network"):
        networks_of([name])


def test_an_address_with_host_bits_stands_for_its_network() -> None:
    assert networks_of(["10.1.2.3/8"]) == (ip_network("10.0.0.0/8"),)


@pytest.mark.parametrize(
    ("client", "address"),
    [
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:0DB8::0001", "2001:db8::1"),
        ("10.0.0.1", "10.0.0.1"),
        ("<script>", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_an_address_is_told_in_one_form_and_nothing_else_is(
    client: str | None, address: str
) -> None:
    assert address_of(request(client=client)) == address


async def test_a_route_says_whom_it_is_for() -> None:
    gate = House().gate
    assert isinstance(demand_of([OPEN]), Everybody)
    await Everybody()()
    assert demand_of([]) is None
    assert demand_of([object()]) is None
    wanted = demand_of([gate.admin_needs(Permission.OPS_READ)])
    assert wanted == Demand(gate, Permission.OPS_READ, is_admin=True)
