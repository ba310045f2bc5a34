from pathlib import Path

import pytest

from palabre.app.cli.main import main


def test_without_a_key_it_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        main(["mcp"])
    assert caught.value.code == 2
    assert "palabre token create mcp --scope mcp" in capsys.readouterr().err
