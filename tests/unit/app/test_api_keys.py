from pathlib import Path

from tests.support.databases import with_database

from palabre.app.api_keys import opened_api_keys
from palabre.app.settings import Settings
from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.api_keys import Scope


async def test_keys_outlive_the_program_that_made_them(tmp_path: Path) -> None:
    settings = Settings(data_dir=with_database(tmp_path))
    async with opened_api_keys(settings) as keys:
        new = await keys.create(THE_MACHINE, "bot", [Scope.CHAT])
    async with opened_api_keys(settings) as keys:
        assert (await keys.admit(new.secret, Scope.CHAT)).name == "bot"
