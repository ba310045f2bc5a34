"""What personas are told of documents: from a file in the knowledge to the prompt."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.rooms import House, house

from palabre.app.knowledge import RunningKnowledge, opened_knowledge
from palabre.app.settings import Settings
from palabre.core.knowledge.model import SourceText
from palabre.core.models.model import Capability, ModelInfo
from palabre.core.models.registry import ModelRegistry
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.knowledge import LetterEmbedder
from palabre.testing.models import ScriptedProvider

DEADLINE_S = 30.0
MOKA = SourceText("moka.md", "Moka", "Le chat Moka dort sur la presse quand elle est froide.")


class LetteredProvider(ScriptedProvider):
    """A scripted provider that embeds by letters."""

    async def embed(self, model: str, texts: object, purpose: str = "passage") -> list[list[float]]:
        self._check(model)
        return [LetterEmbedder().vector(text) for text in texts]


def provider() -> LetteredProvider:
    embedder = ModelInfo("ollama", "nomic-embed-text", capabilities=frozenset({Capability.EMBED}))
    return LetteredProvider("D'accord.", name="ollama", models=("qwen3:8b", embedder))


@asynccontextmanager
async def informed_house(
    data_dir: Path, clown: LetteredProvider, *, manifesto: bool = False
) -> AsyncIterator[tuple[House, RunningKnowledge, ModelRegistry, Settings]]:
    settings = Settings(data_dir=data_dir, knowledge={"manifesto": manifesto})
    models = ModelRegistry([clown], default_model="qwen3:8b", clock=FrozenClock())
    knowledge = RunningKnowledge(settings, models, FrozenClock(), CountingIds())
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(knowledge.run())
        async with house(provider=clown, models=models, knowledge=knowledge) as place:
            yield place, knowledge, models, settings
        running.cancel()


async def asked(place: House, question: str) -> str:
    """Return what the persona was told when somebody asked *question*."""
    client = place.clients[0] if place.clients else await place.enter("ana")
    await client.say(f"@Schaeffer {question}")
    await client.until(lambda frame: frame["type"] == "message" and frame["nick"] == "Schaeffer")
    return place.provider.requests[-1].messages[-1].content


async def both_known(knowledge: RunningKnowledge) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while await knowledge.count_documents() < 2:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)


async def test_a_document_added_beside_the_server_reaches_the_next_prompt(tmp_path: Path) -> None:
    async with informed_house(tmp_path, provider()) as (place, _, models, settings):
        before = await asked(place, "Où dort le chat Moka ?")
        assert "[Contexte pertinent]" not in before
        ids = CountingIds()
        async with opened_knowledge(settings, models, FrozenClock(), ids) as beside:
            await beside.add(MOKA)
        prompt = await asked(place, "Et le chat Moka, où dort-il ?")
        assert "[Contexte pertinent]\n" in prompt
        assert MOKA.text in prompt
        assert prompt.index("où dort-il") < prompt.index("[Contexte pertinent]")


async def test_the_manifesto_that_comes_along_is_known_after_the_start(tmp_path: Path) -> None:
    async with informed_house(tmp_path, provider(), manifesto=True) as (place, knowledge, _, _s):
        await both_known(knowledge)
        prompt = await asked(place, "musique concrète, Pierre Schaeffer et l'objet sonore ?")
        assert "[Contexte pertinent]" in prompt
        assert "objet sonore" in prompt.partition("[Contexte pertinent]")[2]
        assert (await knowledge.state()).ok


async def test_ones_own_manifesto_replaces_the_one_that_comes_along(tmp_path: Path) -> None:
    (tmp_path / "manifeste.md").write_text("# À nous\n\nNotre manifeste parle de tisanes.", "utf-8")
    async with informed_house(tmp_path, provider(), manifesto=True) as (place, knowledge, _, _s):
        await both_known(knowledge)
        prompt = await asked(place, "Notre manifeste parle de tisanes ?")
        assert "Notre manifeste parle de tisanes." in prompt.partition("[Contexte pertinent]")[2]


async def test_personas_answer_when_the_database_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "palabre.db").mkdir()
    async with informed_house(tmp_path, provider()) as (place, knowledge, _, _s):
        prompt = await asked(place, "Es-tu là ?")
        assert "Es-tu là" in prompt
        state = await knowledge.state()
        assert not state.ok
        assert str(tmp_path) not in state.detail


async def test_without_an_embedder_documents_are_found_by_their_words(tmp_path: Path) -> None:
    clown = provider()
    clown.installed = clown.installed[:1]
    async with informed_house(tmp_path, clown) as (place, knowledge, models, settings):
        async with opened_knowledge(settings, models, FrozenClock(), CountingIds()) as beside:
            receipt = await beside.add(MOKA)
        assert receipt.status == "waiting"
        assert MOKA.text in await asked(place, "Où dort le chat Moka ?")
        assert "[Contexte pertinent]" not in await asked(place, "Quel temps fait-il à Brest ?")
        assert not (await knowledge.state()).ok
