"""`FeedbackStore` in SQLite or Postgres."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Row, delete, func, select, tuple_, update

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.inserting import ignoring_insert
from palabre.adapters.storage.sql.moments import from_ms, to_ms
from palabre.adapters.storage.sql.schema.editorial import FEEDBACK, PROPOSALS
from palabre.core.editorial.model import Feedback, FeedbackKind
from palabre.kernel.ids import PersonaId

_ORDER = (FEEDBACK.c.persona_id, FEEDBACK.c.prompt_key, FEEDBACK.c.id)


class SqlFeedbackStore:
    """Feedback in the database; it does not close it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, feedback: Feedback) -> str:
        values = _values(feedback)
        async with self._database.writing() as connection:
            adding = ignoring_insert(connection, FEEDBACK).values(id=feedback.id, **values)
            added = await connection.execute(adding.returning(FEEDBACK.c.id))
            if added.one_or_none() is not None:
                return feedback.id
            same = FEEDBACK.c.slot == feedback.slot
            changing = update(FEEDBACK).where(same).values(values)
            changed = await connection.execute(changing.returning(FEEDBACK.c.id))
            return str(changed.scalar_one())

    async def withdraw(self, slot: str) -> bool:
        removing = delete(FEEDBACK).where(FEEDBACK.c.slot == slot).returning(FEEDBACK.c.id)
        async with self._database.writing() as connection:
            return (await connection.execute(removing)).one_or_none() is not None

    async def latest(self, persona_id: PersonaId, limit: int) -> Sequence[Feedback]:
        newest = (
            select(FEEDBACK)
            .where(FEEDBACK.c.persona_id == persona_id)
            .order_by(FEEDBACK.c.created_at_ms.desc(), FEEDBACK.c.id.desc())
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [_feedback(row) for row in await connection.execute(newest)]

    async def judgements(
        self, persona_id: PersonaId | None, after: Feedback | None, limit: int
    ) -> Sequence[Feedback]:
        wanted = select(FEEDBACK).where(FEEDBACK.c.prompt_key != "")
        if persona_id is not None:
            wanted = wanted.where(FEEDBACK.c.persona_id == persona_id)
        if after is not None:
            place = tuple_(after.persona_id, after.prompt_key, after.id)
            wanted = wanted.where(tuple_(*_ORDER) > place)
        async with self._database.reading() as connection:
            rows = await connection.execute(wanted.order_by(*_ORDER).limit(limit))
            return [_feedback(row) for row in rows]

    async def complaints(self) -> Mapping[PersonaId, int]:
        last_proposal = (
            select(func.coalesce(func.max(PROPOSALS.c.created_at_ms), 0))
            .where(PROPOSALS.c.persona_id == FEEDBACK.c.persona_id)
            .correlate(FEEDBACK)
            .scalar_subquery()
        )
        counted = (
            select(FEEDBACK.c.persona_id, func.count().label("count"))
            .where(FEEDBACK.c.leaning < 0, FEEDBACK.c.created_at_ms > last_proposal)
            .group_by(FEEDBACK.c.persona_id)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(counted)).all()
        return {PersonaId(persona_id): count for persona_id, count in rows}


def _values(feedback: Feedback) -> dict[str, object]:
    return {
        "persona_id": feedback.persona_id,
        "kind": feedback.kind.value,
        "message": feedback.message,
        "leaning": feedback.leaning,
        "slot": feedback.slot or None,
        "prompt_key": feedback.prompt_key,
        "created_at_ms": to_ms(feedback.created_at),
    }


def _feedback(row: Row[tuple[object, ...]]) -> Feedback:
    return Feedback(
        row.id,
        PersonaId(row.persona_id),
        FeedbackKind(row.kind),
        row.message,
        from_ms(row.created_at_ms),
        leaning=row.leaning,
        slot=row.slot or "",
        prompt_key=row.prompt_key,
    )
