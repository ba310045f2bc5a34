from pathlib import Path

from palabre.app.backup import backup_source, restore_target
from palabre.app.settings import Settings


def test_personas_that_are_elsewhere_are_named(tmp_path: Path) -> None:
    inside = backup_source(Settings(data_dir=tmp_path / "data"))
    assert inside.personas is None
    elsewhere = Settings(data_dir=tmp_path / "data", personas={"dir": tmp_path / "own"})
    assert backup_source(elsewhere).personas == tmp_path / "own"


def test_a_data_dir_that_is_a_link_is_meant_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    settings = Settings(data_dir=tmp_path / "link")
    target = restore_target(settings)
    assert target.data_dir == tmp_path / "real"
    assert target.address.file == tmp_path / "real" / "palabre.db"
    assert backup_source(settings).data_dir == tmp_path / "real"
