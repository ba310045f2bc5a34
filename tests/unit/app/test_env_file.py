from pathlib import Path

import pytest

from palabre.app.env_file import EnvFileError, read_variables


def test_variables_are_read_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "env"
    file.write_text("# secrets\n\nKEY = a=b c\nEMPTY=\n", encoding="utf-8")
    assert read_variables(file) == {"KEY": "a=b c", "EMPTY": ""}


@pytest.mark.parametrize("content", [b"KEY", b"a b=c", b"=x", b"\xff\xfe"])
def test_what_is_no_variable_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "env"
    file.write_bytes(content)
    with pytest.raises(EnvFileError):
        read_variables(file)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvFileError):
        read_variables(tmp_path / "none")
