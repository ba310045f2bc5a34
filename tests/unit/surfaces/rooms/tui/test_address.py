import pytest

from palabre.surfaces.rooms.tui.address import (
    AddressError,
    commands_url,
    feedback_url,
    is_here,
    socket_url,
)


@pytest.mark.parametrize(
    ("url", "socket"),
    [
        ("http://127.0.0.1:3333", "ws://127.0.0.1:3333/ws"),
        ("https://chat.example.org/", "wss://chat.example.org/ws"),
        ("ws://[::1]:3333/ws", "ws://[::1]:3333/ws"),
        ("chat.example.org:8080", "ws://chat.example.org:8080/ws"),
        ("https://example.org/rooms", "wss://example.org/rooms/ws"),
    ],
)
def test_an_address_of_a_page_becomes_that_of_its_socket(url: str, socket: str) -> None:
    assert socket_url(url, None, "fr") == f"{socket}?lang=fr"


def test_nick_and_language_are_part_of_the_address() -> None:
    assert socket_url("http://h", "zoé&x", "en") == "ws://h/ws?nick=zo%C3%A9%26x&lang=en"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://h",
        "http://",
        "",
        "http://h:99999",
        "file:///etc/passwd",
        "http://a..b",
        f"http://{'a' * 70}.example",
        "http://exa mple",
        "http://h/\x01",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(AddressError):
        socket_url(url, None, "fr")


def test_the_list_of_commands_is_beside_the_socket() -> None:
    assert commands_url("wss://h/ws", "en") == "https://h/api/v2/commands?lang=en"


def test_opinions_go_beside_the_socket() -> None:
    assert feedback_url("ws://h/rooms/ws") == "http://h/rooms/api/v2/feedback"


def test_this_machine_is_recognised() -> None:
    assert all(is_here(url) for url in ("ws://127.0.0.1:1/ws", "ws://localhost/ws", "ws://[::1]/"))
    assert not is_here("ws://chat.example.org/ws")
