from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.core.personas.cards import (
    DEFAULT_COLOR,
    GREETING,
    Character,
    OwnData,
    changed_words,
    drafted,
    new_words,
    own_data,
)
from palabre.core.personas.limits import MAX_EXAMPLES, MAX_PROMPT, MAX_SHORT_PROMPT, MAX_SPEECH
from palabre.core.personas.model import Example, Persona
from palabre.kernel.ids import Nick, PersonaId

ALICE = Character(
    name="Alice",
    names=("Alice", "Alice Liddell"),
    instructions="{{original}} Stay in character.",
    description="{{char}} is a girl.",
    personality="curious",
    scenario="A wood.",
    reminder="Never wake up.",
    dialogue="<START>\n{{user}}: Who are you?\n{{char}}: I hardly know.\nReally.",
    notes="\n For long walks.\nMore.",
    lore=("Fawns forget.",),
)


def draft_of(**changes: object):
    return drafted(replace(ALICE, **changes), model="m")


def codes(**changes: object) -> list[str]:
    return [each.code.rpartition(".")[2] for each in draft_of(**changes).remarks]


def test_a_prompt_is_made_of_the_parts_of_a_card_with_their_placeholders() -> None:
    assert draft_of().prompt.split("\n\n") == [
        "{{original}} Stay in character.",
        "{{char}} is a girl.",
        "curious",
        "A wood.",
        "Fawns forget.",
        "Never wake up.",
    ]
    assert not draft_of().remarks


def test_what_no_card_says_has_a_value_nonetheless() -> None:
    draft = draft_of()
    assert (draft.color, draft.model, draft.voice, draft.max_tokens) == (
        DEFAULT_COLOR,
        "m",
        "",
        None,
    )
    assert (draft.summary, draft.short_prompt) == ("For long walks.", "{{char}}: curious")


def test_our_own_data_wins_if_it_is_fit() -> None:
    own = OwnData("Al", "#ABCDEF", "x/y", "Sum.", "Short.", "v", ("web_search",), 99_999)
    draft = draft_of(own=own)
    assert (draft.color, draft.model, draft.voice, draft.max_tokens) == (
        "#abcdef",
        "x/y",
        "v",
        32_768,
    )
    assert (draft.summary, draft.short_prompt) == ("Sum.", "Short.")
    assert draft_of(own=OwnData(color="red")).color == DEFAULT_COLOR


def test_tools_are_told_and_not_given() -> None:
    assert codes(own=OwnData(tools=("web_search",))) == ["tools_not_given"]


def test_a_long_prompt_is_cut_between_words_and_told() -> None:
    draft = draft_of(description="{{char}} walks. " * 1000)
    assert len(draft.prompt) <= MAX_PROMPT
    assert draft.prompt.endswith(("{{char}}", "walks."))
    assert draft.remarks[0].data["found"] == 16_000 + len(
        "{{original}} Stay in character.\n\n"
    ) - 1 + len("\n\ncurious\n\nA wood.\n\nFawns forget.\n\nNever wake up.")


def test_a_placeholder_at_the_limit_is_not_cut() -> None:
    words = "x" * (MAX_PROMPT - 4)
    cut = draft_of(instructions="", description=words + "{{char}}{{char}}").prompt
    assert cut == words


def test_a_card_that_says_nothing_still_makes_a_persona() -> None:
    draft = drafted(Character(name="Alice"), model="m")
    assert draft.prompt
    assert [each.code for each in draft.remarks] == ["card.remark.no_prompt"]


@pytest.mark.parametrize(
    ("dialogue", "wanted"),
    [
        (ALICE.dialogue, [("Who are you?", "I hardly know.\nReally.")]),
        ("{{user}}: a\nAlice Liddell: b\n<start>\n<USER>:c\n<BOT>:d", [("a", "b"), ("c", "d")]),
        ("{{char}}: x\n{{user}}: a\n{{user}}: b\n{{char}}: c\n{{char}}: d", [("b", "c")]),
        ("{{user}}: a\n<START>\n{{char}}: b", []),
        ("{{user}}: a\n{{char}}:", []),
        ("{{user}}: " + "a" * (MAX_SPEECH + 1) + "\n{{char}}: b", []),
        ("", []),
    ],
)
def test_examples_are_questions_with_their_answers(
    dialogue: str, wanted: list[tuple[str, str]]
) -> None:
    found = draft_of(dialogue=dialogue).examples
    assert [(each.question, each.answer) for each in found] == wanted


def test_there_are_no_more_examples_than_a_file_may_have() -> None:
    assert len(draft_of(dialogue="{{user}}: a\n{{char}}: b\n" * 9).examples) == MAX_EXAMPLES


def test_a_greeting_stands_in_for_examples_the_one_for_groups_first() -> None:
    found = draft_of(dialogue="", greetings=("", "x" * 1001, "Hello, all!", "Hello!")).examples
    assert found == (Example(GREETING, "Hello, all!"),)


def persona_of(character: Character) -> Persona:
    draft = drafted(character, model="m")
    return Persona(
        id=PersonaId("alice"),
        nick=Nick("Alice"),
        color=draft.color,
        model=draft.model,
        summary=draft.summary,
        prompt=draft.prompt,
        short_prompt=draft.short_prompt,
        examples=draft.examples,
    )


def test_a_persona_that_nobody_edited_changes_nothing_in_its_card() -> None:
    assert changed_words(persona_of(ALICE), ALICE) == {}


def test_an_edited_prompt_takes_the_place_of_all_that_it_was_made_of() -> None:
    words = changed_words(replace(persona_of(ALICE), prompt="New."), ALICE)
    assert {key for key, value in words.items() if not value} == {
        *("personality", "scenario", "system_prompt", "post_history_instructions")
    }
    assert words["description"] == "New."


def test_edited_examples_are_written_as_cards_do_and_read_again() -> None:
    examples = (Example("a", "b"), Example("c\nd", "e"))
    words = changed_words(replace(persona_of(ALICE), examples=examples), ALICE)
    assert draft_of(dialogue=words["mes_example"]).examples == examples


def test_a_persona_that_came_from_no_card_comes_back_from_its_own() -> None:
    persona = replace(persona_of(ALICE), voice="v", max_tokens=5, tools=("rag_search",))
    words = new_words(persona)
    again = Character(
        name=words["name"],
        description=words["description"],
        dialogue=words["mes_example"],
        notes=words["creator_notes"],
        own=own_data(persona),
    )
    draft = drafted(again, model="other")
    for name in (
        "color",
        "model",
        "summary",
        "prompt",
        "short_prompt",
        "examples",
        "voice",
        "max_tokens",
    ):
        assert getattr(draft, name) == getattr(persona, name)


@given(st.builds(Character, *[st.text(max_size=2000)] * 1, *[st.just(())], *[st.text()] * 7))
def test_any_character_fits_the_limits(character: Character) -> None:
    draft = drafted(character, model="m")
    assert 0 < len(draft.prompt) <= MAX_PROMPT
    assert len(draft.short_prompt) <= MAX_SHORT_PROMPT
    assert len(draft.summary) <= 300
