import pytest

from palabre.kernel.hosts import is_host


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
