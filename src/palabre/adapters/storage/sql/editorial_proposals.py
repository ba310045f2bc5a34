"""`ProposalStore` in SQLite or Postgres."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import Row, delete, insert, select, update

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.moments import from_ms, to_ms
from palabre.adapters.storage.sql.schema.editorial import PROPOSALS
from palabre.core.editorial.model import Proposal, Wording
from palabre.kernel.ids import PersonaId

_SHOWN = select(PROPOSALS).where(PROPOSALS.c.dismissed.is_(False))


class SqlProposalStore:
    """Proposals in the database; it does not close it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, proposal: Proposal) -> None:
        values = {
            "id": proposal.id,
            "persona_id": proposal.persona_id,
            "reason": proposal.reason,
            "before": _written(proposal.before),
            "after": _written(proposal.after),
            "applied": proposal.applied,
            "created_at_ms": to_ms(proposal.created_at),
        }
        async with self._database.writing() as connection:
            await connection.execute(insert(PROPOSALS).values(values))

    async def find(self, proposal_id: str) -> Proposal | None:
        wanted = _SHOWN.where(PROPOSALS.c.id == proposal_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(wanted)).one_or_none()
        return _proposal(row) if row is not None else None

    async def latest(self, persona_id: PersonaId, limit: int) -> Sequence[Proposal]:
        newest = (
            _SHOWN.where(PROPOSALS.c.persona_id == persona_id)
            .order_by(PROPOSALS.c.created_at_ms.desc(), PROPOSALS.c.id.desc())
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [_proposal(row) for row in await connection.execute(newest)]

    async def mark(self, proposal_id: str, *, applied: bool) -> None:
        await self._change(proposal_id, applied=applied)

    async def dismiss(self, proposal_id: str) -> None:
        await self._change(proposal_id, dismissed=True)

    async def forget(self, persona_id: PersonaId) -> None:
        async with self._database.writing() as connection:
            of_persona = PROPOSALS.c.persona_id == persona_id
            await connection.execute(delete(PROPOSALS).where(of_persona))

    async def _change(self, proposal_id: str, **values: bool) -> None:
        changing = update(PROPOSALS).where(PROPOSALS.c.id == proposal_id).values(values)
        async with self._database.writing() as connection:
            await connection.execute(changing)


def _written(wording: Wording) -> str:
    return json.dumps(asdict(wording), ensure_ascii=False)


def _proposal(row: Row[tuple[object, ...]]) -> Proposal:
    return Proposal(
        row.id,
        PersonaId(row.persona_id),
        row.reason,
        Wording(**json.loads(row.before)),
        Wording(**json.loads(row.after)),
        applied=row.applied,
        created_at=from_ms(row.created_at_ms),
    )
