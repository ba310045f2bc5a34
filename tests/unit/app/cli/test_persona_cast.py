from pathlib import Path

import pytest

from palabre.app.cli.persona_cast import find, load_cast, load_whole_cast
from palabre.app.settings import Settings
from palabre.core.personas.errors import UnknownPersonaError


def test_a_wrong_file_is_told_and_the_others_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "personas").mkdir()
    (tmp_path / "personas/wrong.toml").write_text("nick = 5")
    cast = load_cast(Settings(data_dir=tmp_path, language="en"))
    assert "wrong.toml" in capsys.readouterr().err
    assert find("@BATTY", cast).id == "batty"
    with pytest.raises(UnknownPersonaError):
        find("wrong", cast)


def test_newcomers_are_in_the_cast_and_so_are_their_mistakes(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("nick = 5")
    cast = load_whole_cast(Settings(data_dir=tmp_path), [wrong])
    assert {problem.file for problem in cast.problems} == {str(wrong)}
    assert find("batty", cast)
