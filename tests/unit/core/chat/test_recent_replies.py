"""The newest answers are remembered, within bounds."""

from palabre.core.chat.recent_replies import RecentReplies, RecentReply
from palabre.kernel.ids import ChannelName, Nick, PersonaId, ReplyId


def reply(response: str) -> RecentReply:
    return RecentReply(PersonaId("batty"), Nick("Batty"), ChannelName("#a"), "", response)


def known(recent: RecentReplies) -> list[str]:
    return [number for number in "1234" if recent.find(number)]


def test_the_oldest_make_room_when_there_are_too_many() -> None:
    recent = RecentReplies(max_replies=2)
    for number in "123":
        recent.note(ReplyId(number), reply(number))
    assert known(recent) == ["2", "3"]


def test_the_oldest_make_room_when_they_are_too_long() -> None:
    recent = RecentReplies(max_chars=10)
    for number in "123":
        recent.note(ReplyId(number), reply("1234"))
    assert known(recent) == ["2", "3"]
    recent.note(ReplyId("4"), reply("1234567890"))
    assert known(recent) == ["4"]


def test_an_answer_that_is_noted_again_counts_once() -> None:
    recent = RecentReplies(max_chars=10)
    for _ in range(5):
        recent.note(ReplyId("1"), reply("12345"))
    recent.note(ReplyId("2"), reply("12345"))
    assert known(recent) == ["1", "2"]
