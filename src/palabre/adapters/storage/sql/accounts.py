"""`AccountStore` in SQLite or Postgres."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Delete, Row, Update, delete, select, update

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.inserting import ignoring_insert
from palabre.adapters.storage.sql.moments import from_ms, to_ms
from palabre.adapters.storage.sql.schema.accounts import ACCOUNTS
from palabre.core.auth.errors import NoAccountError, UsernameTakenError
from palabre.core.auth.model import Account, Role


class SqlAccountStore:
    """Accounts in the database; it does not close it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, account: Account) -> None:
        values = {
            "folded": account.username.casefold(),
            "username": account.username,
            "role": account.role.value,
            "password_hash": account.password_hash,
            "created_at_ms": to_ms(account.created_at),
        }
        async with self._database.writing() as connection:
            adding = ignoring_insert(connection, ACCOUNTS).values(values)
            added = await connection.execute(adding.returning(ACCOUNTS.c.folded))
            if added.one_or_none() is None:
                raise UsernameTakenError(username=account.username)

    async def find(self, username: str) -> Account | None:
        async with self._database.reading() as connection:
            found = await connection.execute(select(ACCOUNTS).where(_named(username)))
            row = found.one_or_none()
        return _account(row) if row is not None else None

    async def all(self) -> Sequence[Account]:
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(ACCOUNTS))).all()
        # Not in SQL: each database has an order of its own for `_` and digits.
        return [_account(row) for row in sorted(rows, key=lambda row: str(row.folded))]

    async def set_password(self, username: str, password_hash: str) -> None:
        await self._change(username, update(ACCOUNTS).values(password_hash=password_hash))

    async def set_role(self, username: str, role: Role) -> None:
        await self._change(username, update(ACCOUNTS).values(role=role.value))

    async def remove(self, username: str) -> None:
        await self._change(username, delete(ACCOUNTS))

    async def _change(self, username: str, change: Update | Delete) -> None:
        async with self._database.writing() as connection:
            changed = await connection.execute(change.where(_named(username)))
            if not changed.rowcount:
                raise NoAccountError(username=username)


def _named(username: str) -> ColumnElement[bool]:
    return ACCOUNTS.c.folded == username.casefold()


def _account(row: Row[tuple[object, ...]]) -> Account:
    return Account(row.username, Role(row.role), row.password_hash, from_ms(row.created_at_ms))
