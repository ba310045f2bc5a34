from palabre.core.knowledge.exam import questions_about
from palabre.core.knowledge.model import Chunk, IndexedChunk, SourceText
from palabre.testing.clock import FrozenClock
from palabre.testing.knowledge import MemoryKnowledgeStore, WordAnalyser


async def store_of(*texts: str) -> MemoryKnowledgeStore:
    store = MemoryKnowledgeStore()
    for text in texts:
        source = SourceText(text, text, text)
        await store.keep(text, source, text, "r", FrozenClock().now())
        await store.publish(text, [IndexedChunk(Chunk(0, text), WordAnalyser().terms(text))], "r")
    return store


async def test_a_question_keeps_the_rarest_words_of_a_sentence_in_another_order() -> None:
    common = "le chat le chien le four"
    rare = "Le chat Moka dort sur la presse froide. Oui."
    store = await store_of(common, rare, "le chat le four la presse")
    made = {each.source: each for each in await questions_about(store, WordAnalyser())}
    assert made[rare].evidence == "Le chat Moka dort sur la presse froide."
    assert made[rare].text == "dort froide moka sur la ?"


async def test_chunks_that_say_too_little_are_not_asked_about() -> None:
    store = await store_of("Oui.", "Deux mots.")
    assert await questions_about(store, WordAnalyser()) == []
