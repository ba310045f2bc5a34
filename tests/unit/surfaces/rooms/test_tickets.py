from palabre.core.chat.members import Member
from palabre.kernel.ids import ChannelName, Nick
from palabre.surfaces.rooms.tickets import Tickets
from palabre.testing.sinks import RecordingSink


def test_a_ticket_leads_to_its_holder_until_it_is_void() -> None:
    tickets = Tickets()
    ana, bob = (Member(Nick(nick), ChannelName("#a"), RecordingSink()) for nick in ("ana", "bob"))
    ticket = tickets.of(ana)
    assert tickets.of(ana) == ticket != tickets.of(bob)
    assert len(ticket) >= 32
    assert tickets.holder(ticket) is ana
    tickets.void(ana)
    assert tickets.holder(ticket) is None
    tickets.void(ana)
    assert tickets.of(ana) != ticket
