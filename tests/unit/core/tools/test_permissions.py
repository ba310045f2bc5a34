import pytest

from palabre.core.tools.permissions import is_allowed, mcp_key, sources_of


@pytest.mark.parametrize(
    ("permission", "listed", "allowed"),
    [
        ("web_search", ("web_search", "rag_search"), True),
        ("web_search", ("rag_search",), False),
        ("web_search", (), False),
        (mcp_key("files", "read"), ("mcp:files/read",), True),
        (mcp_key("files", "read"), ("mcp:files/*",), True),
        (mcp_key("files", "read/all"), ("mcp:files/*",), True),
        (mcp_key("files", "read"), ("mcp:files/write", "mcp:other/*"), False),
        (mcp_key("files", "read"), ("mcp:*", "*", "mcp:*/*", "files/*", "read"), False),
        ("web_search", ("web_search/*", "mcp:web_search/*", "*"), False),
    ],
)
def test_only_what_is_listed_is_allowed(
    permission: str, listed: tuple[str, ...], *, allowed: bool
) -> None:
    assert is_allowed(permission, listed) is allowed


def test_sources_are_those_of_which_anything_is_listed() -> None:
    listed = ("web_search", "mcp:files/read", "mcp:files/write", "mcp:clock/*", "mcp:bad", "mcp:/x")
    assert sources_of(listed) == {"files", "clock"}
