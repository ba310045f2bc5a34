import pytest

from palabre.surfaces.mcp.guest import ChannelUnfitError, Message, NickUnfitError, check


def message(channel: str = "#general", nick: str = "robot") -> Message:
    return Message("x", channel, nick, 1.0)


@pytest.mark.parametrize(
    ("nick", "called"), [("robot", "mcp_robot"), ("mcp_robot", "mcp_robot"), ("é", "mcp_é")]
)
def test_a_program_is_called_by_its_nick_behind_a_mark(nick: str, called: str) -> None:
    assert check(message(nick=nick)).wished == called


@pytest.mark.parametrize("nick", ["a b", "x" * 21, "<b>", "\n"])
def test_a_nick_that_nobody_has_is_refused(nick: str) -> None:
    with pytest.raises(NickUnfitError) as caught:
        check(message(nick=nick))
    assert caught.value.data["limit"] == 20


@pytest.mark.parametrize("channel", ["", "#", "general", "#é", "#" + "a" * 30, "#a b", "#a\n"])
def test_a_channel_that_cannot_be_is_refused(channel: str) -> None:
    with pytest.raises(ChannelUnfitError):
        check(message(channel=channel))
