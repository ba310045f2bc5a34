"""`palabre serve`: what it refuses before anything is started, and what it survives."""

from pathlib import Path

import pytest
from tests.support.command import palabre

from palabre.app.bootstrap import running
from palabre.app.cli.failure import MISUSED
from palabre.app.cli.serve import ready_a_model, worth_knowing
from palabre.app.clock import SystemClock
from palabre.app.parts import Parts
from palabre.app.settings import Settings
from palabre.core.models.model import EMBEDDED, ModelInfo
from palabre.core.models.registry import ModelRegistry
from palabre.testing.ids import CountingIds
from palabre.testing.models import ScriptedProvider
from palabre.texts import say


class BrokenProvider(ScriptedProvider):
    """Fails as nobody foresaw."""

    async def models(self) -> list[ModelInfo]:
        raise RuntimeError("a fault of ours")


def test_production_without_a_database_is_refused_with_what_to_do(tmp_path: Path) -> None:
    done = palabre(
        "serve", "--port", "0", cwd=tmp_path, PALABRE_ENV="production", PALABRE_LANGUAGE="en"
    )
    assert done.returncode == MISUSED
    assert "production keeps what is said in a PostgreSQL" in done.stderr
    assert "DATABASE_URL=postgresql://" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_that_is_away_ends_the_start_and_shows_no_password(tmp_path: Path) -> None:
    done = palabre(
        "serve", "--port", "0", cwd=tmp_path, PALABRE_ENV="production", PALABRE_LANGUAGE="en",
        DATABASE_URL="postgresql://u:secretive@127.0.0.1:1/d",
    )  # fmt: skip
    assert done.returncode != 0
    assert "127.0.0.1" in done.stderr
    assert "secretive" not in done.stderr
    assert "Traceback" not in done.stderr


def test_known_variables_without_effect_are_logged(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = palabre(
        *("serve", "--port", "0", "--data-dir", str(tmp_path / "file" / "data")),
        cwd=tmp_path, CHATSERVER_CONFIG_DIR="x",
    )  # fmt: skip
    assert done.returncode != 0
    assert "CHATSERVER_CONFIG_DIR is known, but not used by this version yet" in done.stderr


@pytest.mark.parametrize(
    ("auth", "server", "is_told"),
    [
        ({"rooms": "session"}, {}, True),
        ({"rooms": "session", "guests": False}, {}, False),
        ({"rooms": "session"}, {"trusted_proxies": ["10.0.0.0/8"]}, False),
        ({"rooms": "session", "guests": True}, {"trusted_proxies": ["10.0.0.0/8"]}, True),
        ({"rooms": "open"}, {}, False),
    ],
)
def test_guests_who_may_read_closed_rooms_are_told_of_at_the_start(
    auth: dict[str, object], server: dict[str, object], is_told: bool
) -> None:
    settings = Settings.model_validate(
        {"auth": auth, "server": server, "speech": {"enabled": True}}
    )
    told = [say(news, "en") for news in worth_knowing(settings)]
    closed = "Guests may read the rooms without an account: auth.guests = false closes that."
    assert told == ([closed] if is_told else [])


async def test_a_fault_while_a_model_is_readied_is_logged_and_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken = BrokenProvider(name=EMBEDDED)
    models = ModelRegistry(
        [broken], default_model="", default_provider=EMBEDDED, clock=SystemClock()
    )
    parts = Parts(models=models, ids=CountingIds())
    async with running(Settings(data_dir=tmp_path), parts) as palabre:
        await ready_a_model(palabre)
    (record,) = (each for each in caplog.records if each.message == "no model is ready")
    assert record.exc_text is not None
    assert "a fault of ours" in record.exc_text
    assert record.__dict__["reference"].startswith("error_")
