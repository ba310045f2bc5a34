import pytest

from palabre.core.models.errors import NoProviderError
from palabre.core.models.model import ModelInfo
from palabre.core.models.roster import HEALTH_AGE_S, LIST_AGE_S, Roster, named
from palabre.kernel.errors import UpstreamError
from palabre.testing.clock import FrozenClock
from palabre.testing.models import ScriptedProvider


@pytest.fixture
def ollama() -> ScriptedProvider:
    return ScriptedProvider(name="ollama", models=["qwen3:8b"])


async def test_a_list_is_asked_for_anew_when_it_is_old_or_forgotten(ollama):
    clock = FrozenClock()
    roster = Roster([ollama], clock)
    for _ in range(2):
        await roster.models("ollama")
    assert ollama.lists_asked == 1
    clock.advance(LIST_AGE_S + 1)
    await roster.models("ollama")
    roster.forget("ollama")
    await roster.models("ollama")
    assert ollama.lists_asked == 3


async def test_health_is_asked_for_anew_when_it_is_old(ollama):
    clock = FrozenClock()
    roster = Roster([ollama], clock)
    assert (await roster.health("ollama")).ok
    ollama.down = "refused"
    assert (await roster.health("ollama")).ok
    clock.advance(HEALTH_AGE_S + 1)
    assert not (await roster.health("ollama")).ok


async def test_a_provider_that_is_down_or_unknown_has_no_models(ollama):
    roster = Roster([ollama], FrozenClock())
    ollama.down = "refused"
    assert await roster.models_or_none("ollama") == []
    assert await roster.models_or_none("vllm") == []
    with pytest.raises(UpstreamError) as failed:
        await roster.models("ollama")
    assert failed.value.data["service"] == "Ollama"


def test_an_unknown_provider_is_an_error_of_its_own(ollama):
    with pytest.raises(NoProviderError):
        Roster([ollama], FrozenClock()).provider("vllm")


def test_the_tag_latest_counts_for_nothing():
    info = ModelInfo("ollama", "nomic-embed-text:latest")
    assert named("nomic-embed-text", [info]) is info
    assert named("nomic", [info]) is None
