"""`palabre serve`: what it refuses before anything is started."""

from pathlib import Path

from tests.support.command import palabre

from palabre.app.cli.failure import MISUSED


def test_a_database_is_refused_with_what_to_do(tmp_path: Path) -> None:
    done = palabre(
        *("serve", "--port", "0"), cwd=tmp_path, DATABASE_URL="postgresql://u:pass@h/d",
        PALABRE_ENV="production", PALABRE_LANGUAGE="en",
    )  # fmt: skip
    assert done.returncode == MISUSED
    assert "DATABASE_URL - databases are not in this version yet" in done.stderr
    assert "pass" not in done.stderr
    assert "Traceback" not in done.stderr


def test_known_variables_without_effect_are_logged(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = palabre(
        *("serve", "--port", "0", "--data-dir", str(tmp_path / "file" / "data")),
        cwd=tmp_path, TTS_URL="http://x",
    )  # fmt: skip
    assert done.returncode != 0
    assert "TTS_URL is known, but not used by this version yet" in done.stderr
