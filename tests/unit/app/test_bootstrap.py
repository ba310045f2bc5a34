"""What starts although something is wrong."""

import logging
from pathlib import Path

import pytest

from palabre.app.bootstrap import running
from palabre.app.parts import Parts
from palabre.app.settings import Settings
from palabre.core.personas.errors import Problem
from palabre.core.personas.model import Cast
from palabre.testing.personas import StaticPersonaLibrary, a_persona


async def test_a_wrong_persona_file_is_logged_and_the_others_are_served(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    library = StaticPersonaLibrary()
    problem = Problem("ada.toml", "missing_key", {"key": "nick"})
    library.cast = Cast((a_persona("Batty"),), problems=(problem,))
    async with running(Settings(data_dir=tmp_path), Parts(library=library)) as palabre:
        assert [persona.nick for persona in palabre.chat.cast.personas] == ["Batty"]
    said = [record.message for record in caplog.records if record.levelno == logging.ERROR]
    assert said[0].endswith("ada.toml : il manque la clé nick.")
    assert "/reload" in said[1]
