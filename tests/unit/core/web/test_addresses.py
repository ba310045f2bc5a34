from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from palabre.core.web.addresses import is_public, literal

SPECIAL = [
    *("127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "100.127.255.255", "0.0.0.1", "0.1.2.3", "224.0.0.1"),
    *("239.255.255.255", "255.255.255.255", "240.0.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1"),
    *("198.51.100.7", "203.0.113.9", "192.88.99.1"),
]
SPECIAL_6 = [
    *("::", "::1", "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%2", "fec0::1", "ff02::1"),
    *("100::1", "2001:db8::1", "64:ff9b:1::1", "5f00::1", "3fff::1", "2001:10::1", "4000::1"),
]
PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1111"]

quads = st.integers(0, 2**32 - 1).map(IPv4Address)
special = st.sampled_from([IPv4Address(each) for each in SPECIAL])


@pytest.mark.parametrize("address", SPECIAL + SPECIAL_6)
def test_addresses_of_no_public_machine_are_refused(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_addresses_of_public_machines_are_not(address: str) -> None:
    assert is_public(ip_address(address))


@given(special | quads)
def test_an_address_in_another_one_is_judged_as_itself(inner: IPv4Address) -> None:
    for prefix in ("::ffff:0:0", "64:ff9b::"):
        assert is_public(IPv6Address(int(IPv6Address(prefix)) + int(inner))) == is_public(inner)


@given(special | quads, st.integers(0, 2**16 - 1))
def test_tunnels_that_nobody_can_look_into_are_refused(inner: IPv4Address, low: int) -> None:
    compatible = IPv6Address(int(inner))
    six_to_four = IPv6Address((0x2002 << 112) + (int(inner) << 80) + low)
    teredo = IPv6Address((0x20010000 << 96) + (low << 32) + (int(inner) ^ 0xFFFFFFFF))
    assert not any(map(is_public, (compatible, six_to_four, teredo)))


@given(special, st.sampled_from([0x00005EFE, 0x02005EFE]))
def test_isatap_of_a_private_machine_is_refused(inner: IPv4Address, mark: int) -> None:
    outer = int(IPv6Address("2606:4700::"))
    assert not is_public(IPv6Address(outer + (mark << 32) + int(inner)))


@given(quads)
def test_whatever_python_calls_not_global_is_refused(address: IPv4Address) -> None:
    assume(not address.is_global)
    assert not is_public(address)


@given(st.integers(0, 2**128 - 1).map(IPv6Address))
def test_only_global_unicast_can_be_public_itself(address: IPv6Address) -> None:
    assert not is_public(address) or int(address) >> 125 == 1


@given(quads)
def test_the_usual_spelling_is_read(address: IPv4Address) -> None:
    assert literal(str(address)) == address
    assert literal(f"{address}.") == address


@given(quads)
def test_other_spellings_are_refused(address: IPv4Address) -> None:
    number = int(address)
    parts = str(address).split(".")
    others = [
        *(str(number), hex(number), oct(number).replace("0o", "0")),
        ".".join(map(hex, map(int, parts))),
        ".".join(f"0{int(part):o}" for part in parts),
        ".".join([*parts[:2], str(number & 0xFFFF)]),
        ".".join([parts[0], str(number & 0xFFFFFF)]),
        f"{address}..",
    ]
    for other in others:
        if other != str(address):
            with pytest.raises(ValueError, match=r".*"):
                literal(other)


@pytest.mark.parametrize(
    "host", ["127.1", "0x7f.1", "0177.0.0.1", "1.2.3.4.5", "256.1.1.1", "x.1", "0x", "1.2.3"]
)
def test_numbers_that_are_no_usual_address_are_refused(host: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        literal(host)


@pytest.mark.parametrize("host", ["example.org", "1.example", "0x7f.example.org", "a", "3com.com"])
def test_names_are_no_addresses(host: str) -> None:
    assert literal(host) is None


def test_ipv6_is_read_with_its_zone_and_then_refused() -> None:
    address = literal("fe80::1%eth0")
    assert address is not None
    assert not is_public(address)
    assert not is_public(IPv6Address("2606:4700::1111%1"))
