from pathlib import Path

import pytest

from palabre.app.settings import Settings
from palabre.app.tools import EnvFileError, opened_tools, read_variables


async def test_the_tools_are_the_programs_own_and_those_of_the_settings(tmp_path: Path) -> None:
    secrets = tmp_path / "env"
    secrets.write_text("KEY=1", encoding="utf-8")
    mcp = {
        "lab": {"command": "/nowhere", "env_file": secrets},
        "far": {"url": "https://mcp.example/", "token": "x"},
    }
    async with opened_tools(Settings(tools={"mcp": mcp})) as tools:
        assert list(tools.own) == ["image_generate", "rag_search", "web_search"]
        assert [source.name for source in tools.sources] == ["lab", "far"]


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
