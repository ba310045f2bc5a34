import pytest

from palabre.kernel.hosts import is_host, is_loopback


@pytest.mark.parametrize(
    "name",
    [
        "127.0.0.1",
        "::1",
        "localhost",
        "localhost.",
        "chat.example.org",
        "my_host",
        "müller.example",
    ],
)
def test_a_machine_can_be_called_so(name: str) -> None:
    assert is_host(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "*", "%00", "a..b", ".a", "exa mple", "-a", "a-", "a\n", "a" * 64),
        "b." * 130 + "b",
        "\N{FULLWIDTH DIGIT ONE}27.0.0.1",
    ],
)
def test_no_machine_can_be_called_so(name: str) -> None:
    assert not is_host(name)


@pytest.mark.parametrize(
    "name", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "LocalHost"]
)
def test_this_machine_is_known_by_its_names(name: str) -> None:
    assert is_loopback(name)


@pytest.mark.parametrize(
    "name", ["", "192.0.2.1", "::", "10.0.0.1", "localhost.example.org", "chat"]
)
def test_no_other_machine_is_taken_for_this_one(name: str) -> None:
    assert not is_loopback(name)
