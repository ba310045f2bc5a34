"""Where this installation's personas are."""

from pathlib import Path

from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.app.settings.sections import PersonasSettings

GARDENER = """
nick = "Jardinier"
color = "#4fc3f7"
model = "qwen3:8b"
summary = "Il arrose."
prompt = "Tu es jardinier."
"""


async def nicks(settings: Settings, *files: Path) -> set[str]:
    return {persona.nick for persona in (await library_for(settings, files).load()).personas}


async def test_those_that_come_along_are_joined_by_those_of_the_data_dir(tmp_path: Path) -> None:
    folder = tmp_path / "personas"
    folder.mkdir()
    (folder / "jardinier.toml").write_text(GARDENER)
    assert {"Jardinier", "Schaeffer"} <= await nicks(Settings(data_dir=tmp_path))


async def test_a_folder_that_is_set_is_read_instead_of_the_data_dirs(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "jardinier.toml").write_text(GARDENER)
    settings = Settings(data_dir=tmp_path / "data")
    assert "Jardinier" not in await nicks(settings)
    named = Settings(data_dir=tmp_path / "data", personas=PersonasSettings(dir=elsewhere))
    assert "Jardinier" in await nicks(named)


async def test_topics_of_the_data_dir_replace_those_that_come_along(tmp_path: Path) -> None:
    assert (await library_for(Settings(data_dir=tmp_path)).load()).topics
    (tmp_path / "topics.toml").write_text("")
    assert not (await library_for(Settings(data_dir=tmp_path)).load()).topics
