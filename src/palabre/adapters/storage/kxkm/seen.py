"""Which ids are given, and to what: two things never have the same, and none comes twice."""

import hashlib
import json

from sqlalchemy import select

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.schema.editorial import FEEDBACK, PROPOSALS
from palabre.core.editorial.model import Feedback, Proposal, Wording
from palabre.kernel.ids import PersonaId


class SeenIds:
    """Ids, and what has each.

    Args:
        prefix: Of ids that are made where something else has the one that is wished.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._owners: dict[str, str] = {}

    def take(self, wished: str, *content: object) -> tuple[str, bool]:
        """Return the id of *content*, and whether it was not known before."""
        owner = hashlib.sha256(repr(content).encode()).hexdigest()
        is_free = wished and self._owners.get(wished, owner) == owner
        given = wished if is_free else f"{self._prefix}_kxkm_{owner[:24]}"
        is_new = given not in self._owners
        self._owners[given] = owner
        return given, is_new

    def take_feedback(self, feedback: Feedback) -> tuple[str, bool]:
        """As `take`."""
        return self.take(feedback.id, feedback.persona_id, feedback.message)

    def take_proposal(self, proposal: Proposal) -> tuple[str, bool]:
        """As `take`."""
        return self.take(proposal.id, proposal.persona_id, proposal.before, proposal.after)


async def seen_feedback(database: Database) -> SeenIds:
    """Return the ids of all feedback in *database*.

    Raises:
        StorageError: It cannot be read.
    """
    seen = SeenIds("feedback")
    wanted = select(FEEDBACK.c.id, FEEDBACK.c.persona_id, FEEDBACK.c.message)
    async with database.reading() as connection:
        for row in await connection.execute(wanted):
            seen.take(row.id, PersonaId(row.persona_id), row.message)
    return seen


async def seen_proposals(database: Database) -> SeenIds:
    """Return the ids of all proposals in *database*, those that were dismissed as well.

    Raises:
        StorageError: It cannot be read.
    """
    seen, c = SeenIds("proposal"), PROPOSALS.c
    async with database.reading() as connection:
        for row in await connection.execute(select(c.id, c.persona_id, c.before, c.after)):
            before, after = (Wording(**json.loads(each)) for each in (row.before, row.after))
            seen.take(row.id, PersonaId(row.persona_id), before, after)
    return seen
