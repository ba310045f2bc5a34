"""Which machines may be called because somebody named them. Pure.

The networks are those of IANA's registries of special-purpose addresses. `ipaddress.is_global`
alone is not enough: what it calls global changed between releases of Python, and it does not look
into addresses that carry another one.
"""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

_NOT_GLOBAL_4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ),
    )
)
_GLOBAL_6 = IPv6Network("2000::/3")
_NOT_GLOBAL_6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
"""Teredo and 6to4 are among them: they carry an IPv4 address that nobody can check any more."""

_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})
_LOW_32 = 0xFFFF_FFFF

_NUMBER = re.compile(r"0x[0-9a-f]*|\d*", re.ASCII | re.IGNORECASE)


def is_public(address: Address) -> bool:
    """Say whether *address* is a machine of the public internet, whatever it is wrapped in."""
    if isinstance(address, IPv4Address):
        return address.is_global and not any(address in each for each in _NOT_GLOBAL_4)
    if address.scope_id is not None:
        return False
    inner = _carried(address)
    if address in _MAPPED or address in _NAT64:
        return is_public(inner)
    is_global = address in _GLOBAL_6 and not any(address in each for each in _NOT_GLOBAL_6)
    return is_global and (not _is_isatap(address) or is_public(inner))


def literal(host: str) -> Address | None:
    """Return the address that *host* spells, without brackets; None if it is a name.

    Raises:
        ValueError: It is a number in another spelling than the usual one: resolvers disagree on
            what `0177.1`, `2130706433` or `127.1` mean, and nobody writes them in good faith.
    """
    if ":" in host:
        return IPv6Address(host)
    bare = host.removesuffix(".")
    if not _NUMBER.fullmatch(bare.rpartition(".")[2]):
        return None
    return IPv4Address(bare)


def _carried(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & _LOW_32)


def _is_isatap(address: IPv6Address) -> bool:
    return (int(address) >> 32) & _LOW_32 in _ISATAP
