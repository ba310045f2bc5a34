from dataclasses import replace

import pytest

from palabre.core.personas.lint import (
    Advice,
    advise,
    advise_newcomer,
    breaks_character,
    color_distance,
)
from palabre.core.personas.model import Cast, Example, Persona
from palabre.kernel.ids import Nick, PersonaId
from palabre.testing.personas import a_persona
from palabre.texts import LANGUAGES, say

GARDENER = replace(
    a_persona("Jardinier"),
    prompt="Tu es jardinier. " + "mot " * 120,
    short_prompt="Tu es jardinier.",
    examples=(Example("Qui es-tu ?", "Je suis celui qui arrose."),),
)


def codes(persona: Persona, *others: Persona) -> list[str]:
    return [advice.code for advice in advise(persona, Cast((persona, *others)))]


def test_a_persona_with_everything_gets_no_advice() -> None:
    assert codes(GARDENER) == []


@pytest.mark.parametrize(
    ("words", "advised"), [(99, True), (100, False), (200, False), (201, True)]
)
def test_a_prompt_outside_its_limits_is_told_its_length(words: int, advised: bool) -> None:
    persona = replace(GARDENER, prompt="mot " * words)
    told = advise(persona, Cast((persona,)))
    expected = Advice("prompt_words", {"words": words, "least": 100, "most": 200})
    assert told == ((expected,) if advised else ())


def test_what_is_empty_is_named() -> None:
    bare = replace(GARDENER, summary="", short_prompt="", examples=())
    assert codes(bare) == ["no_summary", "no_short_prompt", "no_examples"]


@pytest.mark.parametrize(
    "answer",
    [
        "En tant qu'assistant, je ne ressens rien.",
        "En tant qu’IA, je n'ai pas d'avis.",
        "En tant que modèle de langage, non.",
        "En tant qu'une intelligence artificielle, je…",
        "Je suis une IA.",
        "je suis votre assistant",
        "Je ne suis qu'un programme.",
        "As an AI, I cannot.",
        "I'm just an assistant.",
        "I am a large language model.",
    ],
)
def test_the_voice_of_an_assistant_is_heard(answer: str) -> None:
    assert breaks_character(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "Je suis Roy Batty.",
        "Je suis une ombre.",
        "En tant qu'artiste, je refuse.",
        "Mon assistant a cassé la tasse.",
        "Je suis un programmeur timide.",
        "As an airman I fly.",
    ],
)
def test_a_character_may_say_what_sounds_alike(answer: str) -> None:
    assert not breaks_character(answer)


def test_an_example_out_of_character_is_named_by_its_number() -> None:
    examples = (*GARDENER.examples, Example("Vraiment ?", "Je suis une IA."))
    persona = replace(GARDENER, examples=examples)
    assert advise(persona, Cast((persona,))) == (Advice("out_of_character", {"number": 2}),)


def test_a_long_example_is_named() -> None:
    persona = replace(GARDENER, examples=(Example("Alors ?", "oui " * 61),))
    assert codes(persona) == ["long_answer"]


def test_mentions_of_nobody_and_of_itself_are_named_once_each() -> None:
    prompt = GARDENER.prompt + "@Batty, @Personne et @personne2, @Personne, a@b.fr, @JARDINIER"
    persona = replace(GARDENER, prompt=prompt)
    cast = Cast((persona, a_persona("Batty")))
    assert advise(persona, cast) == (
        Advice("unknown_mention", {"nick": "Personne"}),
        Advice("unknown_mention", {"nick": "personne2"}),
        Advice("mentions_itself"),
    )


def test_what_calls_nobody_in_a_room_is_no_mention_here_either() -> None:
    prompt = GARDENER.prompt + "@Batty-là, `@Code`, https://exemple.fr/@Lien"
    persona = replace(GARDENER, prompt=prompt)
    assert advise(persona, Cast((persona, a_persona("Batty")))) == ()


def test_a_newcomer_learns_whose_colour_it_almost_has() -> None:
    near = replace(a_persona("Batty"), color="#4fc3ee")
    far = replace(a_persona("Cage"), color="#e0e0e0")
    told = advise_newcomer(GARDENER, Cast((GARDENER, near, far)))
    assert told == (Advice("similar_color", {"nick": "Batty", "color": "#4fc3ee"}),)


def test_a_newcomer_is_not_compared_with_the_persona_it_replaces() -> None:
    replaced = a_persona("Autre")
    newcomer = replace(GARDENER, id=PersonaId("autre"), nick=Nick("Jardinier"))
    assert advise_newcomer(newcomer, Cast((replaced,))) == ()


def test_colours_are_as_far_as_their_parts() -> None:
    assert color_distance("#000000", "#000000") == 0
    assert round(color_distance("#000000", "#ffffff")) == 442
    assert color_distance("#000003", "#000400") == 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_advice_has_words(language: str) -> None:
    spoiled = replace(
        GARDENER,
        prompt="@Nul @Jardinier",
        summary="",
        short_prompt="",
        examples=(Example("?", "Je suis une IA. " + "oui " * 61),),
    )
    bare = replace(spoiled, examples=())
    neighbour = a_persona("Batty")
    told = [
        *advise_newcomer(spoiled, Cast((spoiled, neighbour))),
        *advise(bare, Cast((bare,))),
    ]
    assert len({advice.code for advice in told}) == 9
    assert all(say(advice.text, language) for advice in told)
