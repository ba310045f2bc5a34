"""The registry as the settings want it."""

import asyncio
from pathlib import Path

from palabre.app.clock import SystemClock
from palabre.app.models import build_registry, embedded_provider, first_weights
from palabre.app.settings import Settings, load_settings
from palabre.testing.ollama import running


def settings(folder: Path, **values: object) -> Settings:
    wanted = {"cache_dir": str(folder), "models.embedded.hub": "", **values}
    return load_settings(cli=wanted, environ={}, cwd=folder).settings


async def test_every_configured_provider_is_there(tmp_path: Path) -> None:
    file = tmp_path / "palabre.toml"
    file.write_text('[models.openai.vllm]\nbase_url = "http://127.0.0.1:9/v1"\n')
    registry = build_registry(load_settings(environ={}, cwd=tmp_path).settings, SystemClock())
    assert list(registry.providers) == ["ollama", "vllm", "embedded"]
    await registry.aclose()


async def test_the_embedded_model_can_be_switched_off(tmp_path: Path) -> None:
    wanted = settings(tmp_path, **{"models.embedded.enabled": False})
    registry = build_registry(wanted, SystemClock())
    assert "embedded" not in registry.providers
    assert [each async for each in first_weights(registry)] == []
    await registry.aclose()


async def test_nothing_is_fetched_while_ollama_answers(tmp_path: Path) -> None:
    async with running() as url:
        registry = build_registry(settings(tmp_path, **{"models.ollama.url": url}), SystemClock())
        async with asyncio.timeout(30):
            assert [each async for each in first_weights(registry)] == []
        await registry.aclose()


async def test_nothing_is_fetched_for_another_provider(tmp_path: Path) -> None:
    registry = build_registry(settings(tmp_path, **{"models.provider": "ollama"}), SystemClock())
    assert [each async for each in first_weights(registry)] == []
    await registry.aclose()


async def test_the_tier_that_was_chosen_comes_first_and_ones_own_before_it(tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    own = tmp_path / "mine.gguf"
    own.write_bytes(b"GGUF")
    wanted = settings(
        tmp_path, **{"models.embedded.tier": "small", "models.embedded.model": str(own)}
    )
    provider = embedded_provider(wanted)
    assert [weights.name for weights in provider.installed()] == ["mine"]
    assert provider.preferred == ("mine", "small", "tiny")
    assert embedded_provider(settings(tmp_path)).preferred[0] in {"tiny", "small"}


async def test_each_provider_has_a_timeout_and_a_waiting_line_of_its_own(tmp_path: Path) -> None:
    lines = "max_waiting = 0\ntimeout_s = 0.01\n"
    file = tmp_path / "palabre.toml"
    file.write_text(
        f'[models.openai.vllm]\nbase_url = "http://127.0.0.1:9/v1"\nmax_concurrent = 2\n{lines}'
        f"[models.embedded]\n{lines}"
    )
    models = load_settings(environ={}, cwd=tmp_path).settings.models
    vllm = models.openai["vllm"]
    assert (vllm.max_concurrent, vllm.max_waiting, vllm.timeout_s) == (2, 0, 0.01)
    assert (models.embedded.max_waiting, models.embedded.timeout_s) == (0, 0.01)
    assert (models.ollama.max_waiting, models.ollama.timeout_s) == (64, 300)
