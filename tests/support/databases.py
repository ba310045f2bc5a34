"""Databases that are up to date: made once for a run, then copied for each test."""

import shutil
import tempfile
from collections.abc import AsyncGenerator
from functools import cache
from pathlib import Path

import pytest
from tests.support.postgres import Postgres
from tests.support.revisions import make_database

from palabre.adapters.storage.sql.address import (
    DatabaseAddress,
    postgres_address,
    sqlite_address,
)
from palabre.adapters.storage.sql.database import Database

KINDS = ("sqlite", "postgres")


@pytest.fixture(params=KINDS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> DatabaseAddress:
    """Where an empty database that is up to date is, of each kind in turn."""
    return address_of(request.param, request, tmp_path)


@pytest.fixture
async def database(address: DatabaseAddress) -> AsyncGenerator[Database]:
    """Give an empty database of each kind in turn."""
    opened = await Database.open(address)
    yield opened
    await opened.aclose()


def address_of(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> DatabaseAddress:
    """Return where an empty database of *kind* is, for tests that have more kinds than two."""
    if kind == "sqlite":
        return sqlite_address(with_database(tmp_path / "data"))
    server: Postgres = request.getfixturevalue("postgres")
    return postgres_address(server.new_database(template=_postgres_template(server)))


def with_database(data_dir: Path) -> Path:
    """Put an empty SQLite database that is up to date into *data_dir* and return that."""
    data_dir.mkdir(parents=True, exist_ok=True)
    template = _sqlite_template()
    if not (data_dir / template.name).exists():
        shutil.copy(template, data_dir)
    return data_dir


@cache
def _sqlite_template() -> Path:
    address = sqlite_address(Path(tempfile.mkdtemp(prefix="palabre-template-")))
    make_database(address, "head", ())
    assert address.file is not None
    return address.file


_templates: dict[str, str] = {}


def _postgres_template(server: Postgres) -> str:
    key = server.url.render_as_string()
    if key not in _templates:
        url = server.new_database()
        make_database(postgres_address(url), "head", ())
        _templates[key] = url.rpartition("/")[2].partition("?")[0]
    return _templates[key]
