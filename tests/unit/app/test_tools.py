from pathlib import Path

from palabre.app.settings import Settings
from palabre.app.tools import opened_tools


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
