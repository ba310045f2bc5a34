"""Who may hand in files over HTTP: those who hold a ticket of their connection."""

import secrets

from palabre.core.chat.members import Member

TICKET_BYTES = 24


class Tickets:
    """One ticket for each connection that asked, until it ends."""

    def __init__(self) -> None:
        self._holders: dict[str, Member] = {}
        self._tickets: dict[Member, str] = {}

    def of(self, member: Member) -> str:
        """Return the ticket of *member*, a new one at the first call."""
        ticket = self._tickets.get(member)
        if ticket is None:
            ticket = self._tickets[member] = secrets.token_urlsafe(TICKET_BYTES)
            self._holders[ticket] = member
        return ticket

    def holder(self, ticket: str) -> Member | None:
        """Return whose *ticket* it is; None if nobody's."""
        return self._holders.get(ticket)

    def void(self, member: Member) -> None:
        """Take back the ticket of *member*: its connection has ended."""
        ticket = self._tickets.pop(member, None)
        if ticket is not None:
            del self._holders[ticket]
