from pathlib import Path

from palabre.app.manifesto import manifesto
from palabre.app.settings import Settings


def test_the_manifesto_that_comes_along_is_two_files(tmp_path: Path) -> None:
    texts = manifesto(Settings(data_dir=tmp_path))
    assert [each.source for each in texts] == ["manifeste.md", "manifeste_references_nouvelles.md"]
    assert texts[0].title == "Manifeste"
    assert all(len(each.text) > 1000 for each in texts)


def test_a_file_in_the_data_dir_takes_its_place(tmp_path: Path) -> None:
    (tmp_path / "manifeste.md").write_text("# Le nôtre\n\nDes tisanes.", "utf-8")
    texts = manifesto(Settings(data_dir=tmp_path))
    assert (texts[0].source, texts[0].title) == ("manifeste.md", "Le nôtre")
    assert len(texts) == 2


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    assert manifesto(Settings(data_dir=tmp_path, knowledge={"manifesto": False})) == []
