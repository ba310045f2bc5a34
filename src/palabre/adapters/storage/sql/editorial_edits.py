"""`EditStore` in SQLite or Postgres."""

import json
from collections.abc import Sequence

from sqlalchemy import delete, func, insert, select, update

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.holding import hold
from palabre.adapters.storage.sql.inserting import ignoring_insert
from palabre.adapters.storage.sql.moments import from_ms, to_ms
from palabre.adapters.storage.sql.schema.editorial import EDITS, SOURCES, STEPS
from palabre.core.editorial.model import PersonaEdit, Source, Step
from palabre.kernel.ids import PersonaId

_FIELDS = (
    *("created", "deleted", "name", "model", "summary", "enabled"),
    *("prompt", "color", "voice", "max_tokens"),
)


class SqlEditStore:
    """Edits, steps and sources in the database; it does not close it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def edits(self, *, to_change: bool = False) -> Sequence[PersonaEdit]:
        wanted = select(EDITS).order_by(EDITS.c.made_at_ms, EDITS.c.persona_id)
        async with self._database.reading() as connection:
            if to_change:
                await connection.run_sync(hold, EDITS)
            rows = (await connection.execute(wanted)).all()
        return [_read(row.persona_id, row.edit, row.made_at_ms) for row in rows]

    async def put_edit(self, edit: PersonaEdit) -> None:
        newest = select(func.coalesce(func.max(EDITS.c.revision), 0))
        values = {
            "persona_id": edit.persona_id,
            "edit": _written(edit),
            "made_at_ms": to_ms(edit.made_at),
        }
        async with self._database.writing() as connection:
            await connection.run_sync(hold, EDITS)
            revision = (await connection.execute(newest)).scalar_one() + 1
            values = {**values, "revision": revision}
            await connection.execute(ignoring_insert(connection, EDITS).values(values))
            here = EDITS.c.persona_id == edit.persona_id
            await connection.execute(update(EDITS).where(here).values(values))

    async def revision(self) -> int:
        async with self._database.reading() as connection:
            newest = await connection.execute(select(func.max(EDITS.c.revision)))
            return newest.scalar_one() or 0

    async def add_step(self, before: PersonaEdit, proposal_id: str = "") -> None:
        values = {
            "persona_id": before.persona_id,
            "before": _written(before),
            "proposal_id": proposal_id,
        }
        async with self._database.writing() as connection:
            await connection.execute(insert(STEPS).values(values))

    async def take_step(self, persona_id: PersonaId) -> Step | None:
        newest = (
            select(STEPS, EDITS.c.made_at_ms)
            .join(EDITS, EDITS.c.persona_id == STEPS.c.persona_id)
            .where(STEPS.c.persona_id == persona_id)
            .order_by(STEPS.c.number.desc())
            .limit(1)
        )
        async with self._database.writing() as connection:
            row = (await connection.execute(newest)).one_or_none()
            if row is None:
                return None
            await connection.execute(delete(STEPS).where(STEPS.c.number == row.number))
        before = _read(row.persona_id, row.before, row.made_at_ms)
        return Step(row.number, before, row.proposal_id)

    async def forget(self, persona_id: PersonaId) -> None:
        async with self._database.writing() as connection:
            for table in (STEPS, SOURCES):
                await connection.execute(delete(table).where(table.c.persona_id == persona_id))

    async def source(self, persona_id: PersonaId) -> Source | None:
        wanted = select(SOURCES).where(SOURCES.c.persona_id == persona_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(wanted)).one_or_none()
        if row is None:
            return None
        references = tuple(json.loads(row.references))
        return Source(persona_id, row.subject_name, row.summary, references)

    async def put_source(self, source: Source) -> None:
        values = {
            "subject_name": source.subject_name,
            "summary": source.summary,
            "references": json.dumps(source.references, ensure_ascii=False),
        }
        here = SOURCES.c.persona_id == source.persona_id
        async with self._database.writing() as connection:
            adding = ignoring_insert(connection, SOURCES)
            await connection.execute(adding.values(persona_id=source.persona_id, **values))
            await connection.execute(update(SOURCES).where(here).values(values))


def _written(edit: PersonaEdit) -> str:
    """Return *edit* as JSON, without what it leaves alone."""
    values = {name: getattr(edit, name) for name in _FIELDS}
    told = {name: value for name, value in values.items() if value is not None}
    return json.dumps(told, ensure_ascii=False)


def _read(persona_id: str, written: str, made_at_ms: int) -> PersonaEdit:
    made_at = from_ms(made_at_ms)
    return PersonaEdit(persona_id=PersonaId(persona_id), made_at=made_at, **json.loads(written))
