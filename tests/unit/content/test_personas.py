"""The personas and topic rules that come along."""

import re
from pathlib import Path

import pytest

from palabre.adapters.personas.toml_library import TomlPersonaLibrary
from palabre.core.chat.turns import choose_responders
from palabre.core.personas.lint import advise
from palabre.core.personas.mentions import mentioned
from palabre.core.personas.model import Cast, Persona

CONTENT = Path(__file__).parents[3] / "content"

QWEN, MISTRAL = "qwen3:8b", "mistral:7b"
CATALOGUE = (
    ("schaeffer", "Schaeffer", QWEN, "#4fc3f7"),
    ("batty", "Batty", QWEN, "#ef5350"),
    ("radigue", "Radigue", QWEN, "#ab47bc"),
    ("oliveros", "Oliveros", QWEN, "#66bb6a"),
    ("sunra", "SunRa", QWEN, "#ffd54f"),
    ("haraway", "Haraway", QWEN, "#ff69b4"),
    ("pharmacius", "Pharmacius", QWEN, "#00e676"),
    ("turing", "Turing", MISTRAL, "#42a5f5"),
    ("swartz", "Swartz", MISTRAL, "#ff7043"),
    ("merzbow", "Merzbow", QWEN, "#e040fb"),
    ("hypatia", "Hypatia", QWEN, "#26c6da"),
    ("decroux", "Decroux", QWEN, "#8d6e63"),
    ("mnouchkine", "Mnouchkine", QWEN, "#ffab40"),
    ("royaldlx", "RoyalDeLuxe", QWEN, "#ff6e40"),
    ("ikeda", "Ikeda", QWEN, "#b0bec5"),
    ("teamlab", "TeamLab", QWEN, "#69f0ae"),
    ("demoscene", "Demoscene", MISTRAL, "#00e5ff"),
    ("pina", "Pina", QWEN, "#f48fb1"),
    ("grotowski", "Grotowski", QWEN, "#a1887f"),
    ("cirque", "Fratellini", MISTRAL, "#ffee58"),
    ("curie", "Curie", QWEN, "#80cbc4"),
    ("foucault", "Foucault", QWEN, "#9575cd"),
    ("deleuze", "Deleuze", QWEN, "#7986cb"),
    ("bookchin", "Bookchin", QWEN, "#81c784"),
    ("leguin", "LeGuin", QWEN, "#a5d6a7"),
    ("cage", "Cage", QWEN, "#e0e0e0"),
    ("bjork", "Bjork", QWEN, "#f06292"),
    ("fuller", "Fuller", QWEN, "#4dd0e1"),
    ("tarkovski", "Tarkovski", QWEN, "#78909c"),
    ("oram", "Oram", QWEN, "#aed581"),
    ("sherlock", "Sherlock", MISTRAL, "#b39ddb"),
    ("picasso", "Picasso", QWEN, "#ffab00"),
    ("eno", "Eno", QWEN, "#90caf9"),
    ("moorcock", "Moorcock", "nollama/mythomax-l2-13b:Q4_K_M", "#ff7043"),
)
NICKS = [nick for _, nick, _, _ in CATALOGUE]
VOICES = {
    "Batty": "fr_FR-upmc-medium",
    "Radigue": "fr_FR-siwis-low",
    "Pharmacius": "fr_FR-gilles-low",
    "Moorcock": "en_GB-alan-medium",
}
TOOLS = {
    "Pharmacius": (),
    "Sherlock": ("web_search", "rag_search"),
    "Picasso": ("image_generate", "rag_search"),
}
STAYS_IN_ROLE = re.compile(r"assistante?\b.*modèle")
FIRST_PERSON = re.compile(r"\b(je|j'|m'|me|mon|ma|mes|moi|nous)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
async def cast() -> Cast:
    return await TomlPersonaLibrary([CONTENT / "personas"], CONTENT / "topics.toml").load()


def by_nick(cast: Cast, nick: str) -> Persona:
    return next(persona for persona in cast.personas if persona.nick == nick)


async def test_the_catalogue_has_its_order_models_and_colours(cast: Cast) -> None:
    found = [(each.id, each.nick, each.model, each.color) for each in cast.personas]
    assert found == list(CATALOGUE)


async def test_nobody_needs_advice(cast: Cast) -> None:
    assert {each.nick: told for each in cast.personas if (told := advise(each, cast))} == {}


async def test_voices_and_tools_are_the_seeds(cast: Cast) -> None:
    voices = {each.nick: each.voice for each in cast.personas}
    tools = {each.nick: each.tools for each in cast.personas}
    assert voices == dict.fromkeys(NICKS, "fr_FR-siwis-medium") | VOICES
    assert tools == dict.fromkeys(NICKS, ("rag_search",)) | TOOLS


async def test_only_pharmacius_has_a_shorter_answer(cast: Cast) -> None:
    lengths = {each.nick: each.max_tokens for each in cast.personas if each.max_tokens}
    assert lengths == {"Pharmacius": 400}


async def test_two_prompts_begin_as_the_personas_command_shows_them(cast: Cast) -> None:
    schaeffer, batty = by_nick(cast, "Schaeffer"), by_nick(cast, "Batty")
    assert schaeffer.prompt.startswith("Tu es Pierre Schaeffer, inventeur de la musiqu")
    assert batty.prompt.startswith("Tu es Roy Batty, replicant Nexus-6, tu as vu de")


@pytest.mark.parametrize("nick", NICKS)
async def test_a_prompt_says_who_in_which_language_and_never_an_assistant(
    cast: Cast, nick: str
) -> None:
    prompt = by_nick(cast, nick).prompt
    assert prompt.startswith("Tu es ")
    assert len(prompt.splitlines()[0]) > 60
    assert "langue" in prompt.splitlines()[-1]
    assert "phrases" in prompt
    assert STAYS_IN_ROLE.search(prompt)


@pytest.mark.parametrize("nick", NICKS)
async def test_examples_answer_in_the_first_person_and_in_two_sentences(
    cast: Cast, nick: str
) -> None:
    persona = by_nick(cast, nick)
    assert len(persona.examples) in {1, 2}
    assert any("qui es-tu" in example.question for example in persona.examples)
    for example in persona.examples:
        assert FIRST_PERSON.search(example.answer), example.answer
        assert len(re.findall(r"[.!?]+(?=\s|$)", example.answer)) <= 3, example.answer


async def test_no_two_personas_open_alike(cast: Cast) -> None:
    openings = {" ".join(each.prompt.split()[:5]) for each in cast.personas}
    assert len(openings) == len(cast.personas)


async def test_pharmacius_knows_everybody_and_shows_how_to_end(cast: Cast) -> None:
    pharmacius = by_nick(cast, "Pharmacius")
    known = {persona.nick for persona in mentioned(pharmacius.prompt, cast.personas)}
    assert known == set(NICKS) - {"Pharmacius"}
    for example in pharmacius.examples:
        called = mentioned(example.answer, cast.personas)
        assert len(called) == 1
        assert example.answer.endswith(f"@{called[0].nick}")


async def test_nobody_else_calls_on_others(cast: Cast) -> None:
    callers = [each.nick for each in cast.personas if mentioned(each.prompt, cast.personas)]
    assert callers == ["Pharmacius"]


async def test_topics_and_their_order_are_the_catalogues(cast: Cast) -> None:
    assert [(rule.topic, rule.nicks) for rule in cast.topics] == [
        ("search", ("Sherlock", "Pharmacius")),
        ("images", ("Picasso",)),
        ("music", ("Schaeffer", "Pharmacius")),
        ("code", ("Turing",)),
        ("philosophy", ("Deleuze", "Pharmacius")),
    ]


async def test_a_word_belongs_to_one_topic(cast: Cast) -> None:
    words = [word for rule in cast.topics for word in rule.words]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("text", "nicks"),
    [
        ("Fais une recherche sur Xenakis", ["Sherlock", "Pharmacius"]),
        ("Search the news please", ["Sherlock", "Pharmacius"]),
        ("Dessine-moi un mouton", ["Picasso"]),
        ("Une ENQUETE ?", ["Sherlock", "Pharmacius"]),
        ("Qu'est-ce que la musique concrète ?", ["Schaeffer", "Pharmacius"]),
        ("What a strange noise", ["Schaeffer", "Pharmacius"]),
        ("J'ai un bug dans mon algorithme", ["Turing"]),
        ("Parlons métaphysique", ["Deleuze", "Pharmacius"]),
        ("Il a pris son manteau et sa voiture", ["Pharmacius"]),
        ("Je suis en train de tisser une toile, ça a du sens", ["Pharmacius"]),
        ("Une capitale, une application, un imagier", ["Pharmacius"]),
        ("That sounds good, what does it mean?", ["Pharmacius"]),
    ],
)
async def test_topics_hear_whole_words(cast: Cast, text: str, nicks: list[str]) -> None:
    assert [persona.nick for persona in choose_responders(text, cast, 2)] == nicks
