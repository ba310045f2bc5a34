import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

import pytest

from palabre.core.chat.direct import (
    DirectAnswers,
    DirectQuestion,
    SpeechEnded,
    SpeechGrew,
    Usage,
)
from palabre.core.chat.direct_prompt import Said
from palabre.core.chat.errors import ModelComingError
from palabre.core.knowledge.model import Passage
from palabre.core.media.model import FileKind, FileType, SharedFile
from palabre.core.models.errors import ModelBusyError
from palabre.core.models.model import Capability, ModelInfo
from palabre.core.models.registry import Arrival, ModelRegistry
from palabre.testing.clock import FrozenClock
from palabre.testing.models import Answer, ScriptedProvider
from palabre.testing.personas import a_persona
from palabre.testing.reading import an_analyst

BATTY = a_persona("Batty")
QUESTION = DirectQuestion(BATTY, (Said("user", "Où est le chat ?"),), on_behalf_of="key_1")
PNG = SharedFile("image", b"png", FileType(FileKind.IMAGE, "image/png", "png"))


class OnePassage:
    def __init__(self) -> None:
        self.questions: list[str] = []

    async def find(self, question: str) -> Sequence[Passage]:
        self.questions.append(question)
        return (Passage("d1", "Le chat", "chat.md", "Minou dort.", None, 0.8),)

    async def count_documents(self) -> int:
        return 1


class House:
    def __init__(self, *answers: Answer | str, info: ModelInfo | str = "qwen3:8b") -> None:
        self.provider = ScriptedProvider(*answers, name="ollama", models=(info,))
        self.models = ModelRegistry([self.provider], default_model="qwen3:8b", clock=FrozenClock())
        self.knowledge = OnePassage()
        self.direct = DirectAnswers(
            models=self.models, knowledge=self.knowledge, analyst=an_analyst(self.models)
        )

    async def ask(self, question: DirectQuestion = QUESTION) -> tuple[list[str], SpeechEnded]:
        async with aclosing(self.direct.answer(question)) as events:
            *grown, ended = [event async for event in events]
        assert isinstance(ended, SpeechEnded)
        return [each.text for each in grown if isinstance(each, SpeechGrew)], ended


async def test_a_persona_answers_piece_by_piece_and_then_all_of_it() -> None:
    grown, ended = await House(Answer(("Il ", "dort."))).ask()
    assert "".join(grown) == ended.text == "Il dort."
    assert ended.reason == "stop"


async def test_it_is_told_who_it_is_and_passages_of_documents_and_nothing_of_rooms() -> None:
    house = House()
    await house.ask(replace(QUESTION, guidance="In verse."))
    [request] = house.provider.requests
    assert request.messages[0].content.startswith("Tu es Batty.")
    assert "In verse." in request.messages[0].content
    assert "Minou dort." in request.messages[-1].content
    assert house.knowledge.questions == ["Où est le chat ?"]
    assert request.on_behalf_of == "key_1"
    assert not request.tools


async def test_thoughts_and_the_personas_own_name_are_left_out() -> None:
    answer = Answer(("<thi", "nk>secret</think>", "Batty : Il dort."), thoughts=("hidden",))
    grown, ended = await House(answer).ask()
    assert "".join(grown) == ended.text == "Il dort."


async def test_a_thought_that_never_ends_is_no_answer() -> None:
    grown, ended = await House("<think>secret").ask()
    assert (grown, ended.text) == ([], "")


@pytest.mark.parametrize("model", ["deepseek-r1:8b", "Qwen3-4B-Thinking-2507", "qwq"])
async def test_nothing_is_shown_of_models_that_begin_in_thought_until_it_ends(model: str) -> None:
    house = House(Answer(("secret ", "more</thi", "nk>", "Il ", "dort.")), info=model)
    grown, ended = await house.ask(replace(QUESTION, persona=replace(BATTY, model=model)))
    assert "".join(grown) == ended.text == "Il dort."
    assert len(grown) > 1


async def test_an_answer_without_a_thought_of_such_a_model_comes_at_its_end() -> None:
    house = House(Answer(("Il ", "dort.")), info="deepseek-r1:8b")
    grown, _ = await house.ask(replace(QUESTION, persona=replace(BATTY, model="deepseek-r1:8b")))
    assert "".join(grown) == "Il dort."


async def test_a_model_with_r1_inside_a_word_streams() -> None:
    house = House(Answer(("Il ", "dort.")), info="bar1x")
    grown, _ = await house.ask(replace(QUESTION, persona=replace(BATTY, model="bar1x")))
    assert len(grown) == 2


async def test_usage_is_estimated_where_the_model_tells_none() -> None:
    house = House("Il dort.")
    _, ended = await house.ask()
    [request] = house.provider.requests
    told = sum(len(each.content.encode()) for each in request.messages)
    assert ended.usage == Usage(-(-told // 4), 1, is_estimated=True)


async def test_what_a_program_wishes_reaches_the_model() -> None:
    house = House()
    wishes = replace(QUESTION, max_tokens=12, temperature=0.5, ends_before=tuple("abcde"))
    await house.ask(wishes)
    [request] = house.provider.requests
    assert (request.max_tokens, request.temperature) == (12, 0.5)
    assert request.ends_before == tuple("abcd")


async def test_wishes_have_limits_and_a_persona_has_its_own() -> None:
    house = House()
    await house.ask(replace(QUESTION, max_tokens=10**9))
    await house.ask(replace(QUESTION, persona=replace(BATTY, max_tokens=99)))
    assert [each.max_tokens for each in house.provider.requests] == [16_384, 99]


async def test_a_small_model_is_kept_on_its_short_leash() -> None:
    house = House(info=ModelInfo("ollama", "qwen3:8b", parameters=500_000_000))
    await house.ask(replace(QUESTION, max_tokens=5000, ends_before=("END",)))
    [request] = house.provider.requests
    assert request.max_tokens == 300
    assert request.ends_before[0] == "END"
    assert len(request.ends_before) == 4
    assert request.temperature == 0.2


async def test_a_picture_is_told_in_words() -> None:
    sees = ModelInfo(
        "ollama", "qwen3:8b", capabilities=frozenset({Capability.CHAT, Capability.VISION})
    )
    house = House("un chat roux", "Il dort.", info=sees)
    asked = Said("user", "Qui est-ce ?", (PNG,))
    _, ended = await house.ask(replace(QUESTION, dialogue=(asked,)))
    assert ended.text == "Il dort."
    looked, request = house.provider.requests
    assert looked.messages[0].images
    assert "un chat roux" in request.messages[-1].content
    assert "Qui est-ce ?" in request.messages[-1].content


async def test_nobody_waits_for_a_model_that_is_being_fetched() -> None:
    house = House()
    house.models.arrival = Arrival(percent=40)
    with pytest.raises(ModelComingError) as caught:
        await house.ask()
    assert caught.value.data == {"percent": 40}
    assert house.provider.requests == []


async def test_a_busy_model_says_so() -> None:
    with pytest.raises(ModelBusyError):
        await House(Answer((), error=ModelBusyError(waiting=3))).ask()


async def test_who_goes_away_ends_the_models_call() -> None:
    gate = asyncio.Event()
    house = House(Answer(gate=gate))
    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(house.ask())
        while not house.provider.open_calls:  # noqa: ASYNC110 - the fake tells nobody
            await asyncio.sleep(0)
        asking.cancel()
    assert house.provider.open_calls == 0
    assert house.provider.closed_early == 1


async def test_an_endless_answer_is_cut() -> None:
    house = House(Answer(("x" * 150_000, "x" * 150_000, "x")))
    grown, ended = await house.ask()
    assert ended.reason == "length"
    assert len("".join(grown)) == 200_000
    assert house.provider.closed_early == 1
