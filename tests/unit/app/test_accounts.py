from pathlib import Path

from palabre.app.accounts import opened_accounts
from palabre.app.settings import Settings
from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.model import Role
from palabre.testing.clock import FrozenClock

SECRET_WORDS = b"dix lettres au moins"


async def test_accounts_last_and_their_passwords_are_hashed(tmp_path: Path) -> None:
    settings, clock = Settings(data_dir=tmp_path), FrozenClock()
    async with opened_accounts(settings, clock) as accounts:
        added = (
            await accounts.add("Lea", Role.EDITOR, SECRET_WORDS.decode(), by=THE_MACHINE)
        ).account
    async with opened_accounts(settings, clock) as accounts:
        assert await accounts.all() == [added]
    assert added.password_hash.startswith("$argon2id$")
    assert added.created_at == clock.now()
    assert not any(SECRET_WORDS in content for content in contents(tmp_path))


def contents(folder: Path) -> list[bytes]:
    found = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert found
    return found
