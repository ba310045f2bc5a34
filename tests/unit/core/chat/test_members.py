"""Who is where, and under which name."""

from palabre.core.chat.members import Member, Members
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.sinks import RecordingSink

HERE, THERE = ChannelName("#here"), ChannelName("#there")


def member(nick: str, channel: ChannelName = HERE) -> Member:
    return Member(Nick(nick), channel, RecordingSink())


def test_people_are_listed_in_the_order_of_their_coming_whatever_they_are_called() -> None:
    members, people = Members(), [member(nick) for nick in ("zoe", "ana", "bob")]
    for each in people:
        members.add(each)
    members.rename(people[0], Nick("aaa"))
    assert [each.nick for each in members.of(HERE)] == ["aaa", "ana", "bob"]


def test_a_name_is_free_again_once_its_holder_left_or_took_another() -> None:
    members, ana = Members(), member("Ana")
    members.add(ana)
    assert members.holders("ANA") == {ana}
    members.rename(ana, Nick("bob"))
    assert members.holders("ana") == set()
    assert members.holders("b0b") == {ana}
    members.remove(ana)
    assert members.holders("bob") == set()
    assert (len(members), list(members), list(members.of(HERE))) == (0, [], [])


def test_a_name_may_change_its_case_only() -> None:
    members, ana = Members(), member("ana")
    members.add(ana)
    members.rename(ana, Nick("ANA"))
    assert members.holders("ana") == {ana}


def test_who_leaves_late_takes_nobody_elses_name_along() -> None:
    members, old, new = Members(), member("ana"), member("ana")
    members.add(old)
    members.remove(old)
    members.add(new)
    members.remove(old)
    assert members.holders("ana") == {new}


def test_channels_are_counted_fullest_first_then_by_name() -> None:
    members = Members()
    wanderer = member("d", THERE)
    for each in (member("a"), member("b"), member("c", ChannelName("#a")), wanderer):
        members.add(each)
    assert members.counts() == [(HERE, 2), ("#a", 1), (THERE, 1)]
    members.move(wanderer, HERE)
    assert members.counts() == [(HERE, 3), ("#a", 1)]
    assert members.holders("d") == {wanderer}


def test_guests_are_numbered_past_every_name_that_is_taken() -> None:
    members = Members()
    members.add(member("USER_1"))
    members.add(member("user_Z"))
    assert members.guest_nick(["User_2"]) == "user_3"
    assert members.guest_nick([]) == "user_4"
