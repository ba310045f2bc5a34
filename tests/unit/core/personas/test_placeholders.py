import pytest

from palabre.core.personas.model import Example
from palabre.core.personas.placeholders import ANYBODY, as_spoken, filled
from palabre.testing.personas import a_persona


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("{{char}} and {{user}}", "Alice and Bob"),
        ("{{CHAR}}, {{ User }}, <BOT>, <char>, <user>", "Alice, Bob, Alice, Alice, Bob"),
        ("{{original}} More.", "First. More."),
        ("a{{// secret}}b{{comment: c}}d{{hidden_key:x}}e", "abde"),
        ("{{unknown}} {{char <b>", "{{unknown}} {{char <b>"),
        ("{{random:x}}{{pick::y}}{{roll:1}}{{roll:d1}}", "xy11"),
        (r"{{pick:a\,b}}", "a,b"),
        ("plain", "plain"),
    ],
)
def test_placeholders_are_filled_in_any_case(words: str, wanted: str) -> None:
    assert filled(words, char="Alice", user="Bob", original="First.") == wanted


def test_what_is_left_to_chance_is_one_of_the_choices_and_always_the_same() -> None:
    words = "{{random:a,b,c}} {{roll:6}}"
    first = filled(words, char="Alice")
    letter, number = first.split()
    assert letter in {"a", "b", "c"}
    assert 1 <= int(number) <= 6
    assert {filled(words, char="Alice") for _ in range(9)} == {first}


def test_of_several_personas_with_the_same_words_each_speaks_of_itself() -> None:
    """SillyTavern#3025: in a group, `{{char}}` is the one who speaks."""
    prompt = "You are {{char}}; {{user}} asks {{char}}."
    spoken = [as_spoken(a_persona(nick, prompt=prompt)) for nick in ("Alice", "Bob", "Carol")]
    assert [each.prompt for each in spoken] == [
        f"You are {nick}; {ANYBODY} asks {nick}." for nick in ("Alice", "Bob", "Carol")
    ]


def test_names_cannot_bring_placeholders_of_their_own() -> None:
    assert filled("{{char}} {{user}}", char="{{user}}", user="{{char}}") == "{{user}} {{char}}"


def test_examples_and_the_short_prompt_are_filled_too() -> None:
    persona = a_persona("Alice")
    made = type(persona)(
        **{name: getattr(persona, name) for name in ("id", "nick", "color", "model", "summary")},
        prompt="p",
        short_prompt="<BOT>",
        examples=(Example("{{char}}?", "{{char}}."),),
    )
    spoken = as_spoken(made)
    assert (spoken.short_prompt, spoken.examples) == ("Alice", (Example("Alice?", "Alice."),))
