from pathlib import Path

import pytest

from palabre.app.file_import import FilesAreTheTruthError, import_files
from palabre.app.settings import Settings


async def test_without_a_database_files_stay_where_they_are(tmp_path: Path) -> None:
    with pytest.raises(FilesAreTheTruthError):
        await import_files(Settings(data_dir=tmp_path), tmp_path, lambda *_: None)
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240
