from palabre.core.knowledge.questions import REMEMBERED, Questions
from palabre.testing.knowledge import LetterEmbedder


async def test_the_oldest_question_is_forgotten_first() -> None:
    embedder = LetterEmbedder()
    questions = Questions(embedder)
    for number in range(REMEMBERED):
        await questions.vector(f"question {number}")
    await questions.vector("question 0")
    await questions.vector("one more")
    await questions.vector("question 0")
    assert len(embedder.embedded) == REMEMBERED + 1
    await questions.vector("question 1")
    assert len(embedder.embedded) == REMEMBERED + 2


async def test_another_embedder_remembers_nothing_of_the_first() -> None:
    embedder = LetterEmbedder()
    questions = Questions(embedder)
    await questions.vector("a")
    embedder.ref = "fake/other"
    key, _ = await questions.vector("a")
    assert key.ref == "fake/other"
    assert len(embedder.embedded) == 2
