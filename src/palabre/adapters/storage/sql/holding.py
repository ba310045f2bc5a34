"""Keep others from changing a table until a transaction ends."""

from sqlalchemy import Connection, Table, text


def hold(connection: Connection, table: Table) -> None:
    """Let nobody but the transaction of *connection* change *table* until it ends."""
    if connection.dialect.name == "postgresql":  # SQLite lets one write at a time anyway
        connection.execute(text(f"LOCK TABLE {table.name} IN SHARE ROW EXCLUSIVE MODE"))
