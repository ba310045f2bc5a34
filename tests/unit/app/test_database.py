from pathlib import Path

import pytest

from palabre.adapters.storage.sql.errors import DatabaseAddressError
from palabre.app.database import database_address
from palabre.app.knowledge import DATABASE_NAME
from palabre.app.settings import Settings


def test_the_database_is_a_file_of_the_data_dir(tmp_path: Path) -> None:
    assert database_address(Settings(data_dir=tmp_path)).file == tmp_path / DATABASE_NAME


def test_or_the_postgres_that_the_settings_name(tmp_path: Path) -> None:
    storage = {"database_url": "postgresql://lea@host/palabre"}
    address = database_address(Settings(data_dir=tmp_path, storage=storage))
    assert not address.is_sqlite
    with pytest.raises(DatabaseAddressError):
        database_address(Settings(storage={"database_url": "mysql://host"}))
