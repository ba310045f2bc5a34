"""Which pages may open a socket."""

import pytest

from palabre.surfaces.http.origin import is_allowed_origin

ALLOWED = ("https://club.example",)


@pytest.mark.parametrize(
    ("origin", "host", "allowed"),
    [
        (None, "127.0.0.1:3333", True),
        (None, None, True),
        ("http://127.0.0.1:3333", "127.0.0.1:3333", True),
        ("http://LOCALHOST:3333", "localhost:3333", True),
        ("http://[::1]:3333", "[::1]:3333", True),
        ("https://club.example", "127.0.0.1:3333", True),
        ("http://club.example", "127.0.0.1:3333", False),
        ("https://club.example.evil", "127.0.0.1:3333", False),
        ("http://127.0.0.1", "127.0.0.1:3333", False),
        ("http://127.0.0.1:3334", "127.0.0.1:3333", False),
        ("http://127.0.0.1:3333@evil.example", "127.0.0.1:3333", False),
        ("http://evil.example/127.0.0.1:3333", "127.0.0.1:3333", False),
        ("null", "127.0.0.1:3333", False),
        ("", "127.0.0.1:3333", False),
        ("", "", False),
        ("null", None, False),
        ("http://[", "127.0.0.1:3333", False),
        ("127.0.0.1:3333", "127.0.0.1:3333", False),
    ],
)
def test_pages_of_this_server_and_named_ones_may(
    origin: str | None, host: str | None, allowed: bool
) -> None:
    assert is_allowed_origin(origin, host, ALLOWED) is allowed
