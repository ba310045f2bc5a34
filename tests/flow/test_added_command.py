"""A slash command is one file: the example of CONTRIBUTING.md, put in and used."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.rooms import house

from palabre.features import commands

GUIDE = Path(__file__).parents[2] / "CONTRIBUTING.md"


@pytest.fixture
def one_more_file(tmp_path: Path) -> Iterator[None]:
    """Put the guide's example beside the other commands, in a folder of its own."""
    guide = GUIDE.read_text(encoding="utf-8")
    example = guide.split("shout.py`:\n\n```python\n")[1].split("```")[0]
    (tmp_path / "shout.py").write_text(example, encoding="utf-8")
    commands.__path__.append(str(tmp_path))
    yield
    commands.__path__.remove(str(tmp_path))
    sys.modules.pop(f"{commands.__name__}.shout")


@pytest.mark.usefixtures("one_more_file")
async def test_the_example_of_the_guide_runs_and_is_listed_in_the_help() -> None:
    async with house() as place:
        ana = await place.enter("ana")
        await ana.command("/shout plus fort")
        assert (await ana.next())["text"] == "PLUS FORT"
        await ana.command("/help")
        assert f"{'/shout <words>':<35}— say it louder" in (await ana.next())["text"].split("\n")


async def test_without_the_file_there_is_no_such_command() -> None:
    async with house() as place:
        ana = await place.enter("ana")
        await ana.command("/shout plus fort")
        assert (await ana.next())["text"] == "Commande inconnue: /shout. Tape /help."
