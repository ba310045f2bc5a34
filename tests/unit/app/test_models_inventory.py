"""Everything that could answer, where nothing does yet."""

import socket
from pathlib import Path

from palabre.app.models_inventory import take_inventory
from palabre.app.settings import load_settings


async def test_without_a_server_the_weights_that_could_be_fetched_are_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    cli = {"cache_dir": str(tmp_path), "models.embedded.hub": "", "models.ollama.url": url}
    settings = load_settings(cli=cli, environ={}, cwd=tmp_path).settings
    data = (await take_inventory(settings)).as_data()
    providers, weights = data["providers"], data["weights"]
    assert isinstance(providers, dict)
    assert isinstance(weights, list)
    assert providers["ollama"]["ok"] is False
    assert not [each for each in weights if each["installed"]]
    assert {tier for each in weights for tier in each["tiers"]} >= {"tiny", "small"}
