"""What editors want, laid over the files."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from palabre.core.editorial.model import PersonaEdit
from palabre.core.editorial.overlay import Desk, color_of, laid_over
from palabre.core.personas.model import Cast, Persona, TopicRule
from palabre.kernel.ids import Nick, PersonaId
from palabre.testing.personas import a_persona
from palabre.texts import say

BATTY = replace(a_persona("Batty"), short_prompt="Tu es Batty, court.", max_tokens=100)
ISA = a_persona("Isa")
TEN = datetime(2026, 3, 20, 10, tzinfo=UTC)


def edit(persona_id: str, **wanted: object) -> PersonaEdit:
    plain = PersonaEdit(persona_id=PersonaId(persona_id), made_at=TEN)
    return replace(plain, **wanted)  # type: ignore[arg-type]


def desk(*edits: PersonaEdit, written: Cast | None = None) -> Desk:
    cast = written or Cast((BATTY, ISA))
    return laid_over(cast, edits, in_house_words=partial(say, language="fr"), model="default")


def batty(*edits: PersonaEdit) -> Persona:
    return desk(*edits).personas[0].persona


def test_without_edits_the_files_speak() -> None:
    found = desk()
    assert found.cast == Cast((BATTY, ISA))
    assert [each.edited for each in found.personas] == [False, False]


def test_an_edited_persona_keeps_what_was_not_edited() -> None:
    found = batty(edit("batty", model="mistral:7b", color="#000000"))
    assert found == replace(BATTY, model="mistral:7b", color="#000000")


def test_an_edited_summary_is_the_editors_direction_in_both_prompts() -> None:
    found = batty(edit("batty", summary="Parle de la pluie."))
    assert found.summary == "Parle de la pluie."
    assert found.prompt == "Tu es Batty.\n\nDirection de la rédaction : Parle de la pluie."
    assert found.short_prompt.endswith("Parle de la pluie.")


def test_an_empty_summary_takes_it_away_and_directs_nothing() -> None:
    found = batty(edit("batty", summary=""))
    assert (found.summary, found.prompt) == ("", BATTY.prompt)


def test_an_edited_prompt_takes_the_place_of_both() -> None:
    found = batty(edit("batty", prompt="Tu es un autre."))
    assert (found.prompt, found.short_prompt) == ("Tu es un autre.", "")


def test_a_limit_of_zero_takes_the_limit_away() -> None:
    assert batty(edit("batty", max_tokens=0)).max_tokens is None
    assert batty(edit("batty")).max_tokens == 100


def test_who_is_switched_off_is_listed_and_does_not_speak() -> None:
    found = desk(edit("batty", enabled=False))
    assert [each.persona.nick for each in found.personas] == ["Batty", "Isa"]
    assert [each.nick for each in found.cast.personas] == ["Isa"]


def test_a_made_persona_speaks_as_its_name_and_summary_say() -> None:
    made = edit("persona_1", created=True, name="Marie Curie", summary="Tu mesures {tout}.")
    found = desk(made)
    persona = found.cast.personas[-1]
    assert (persona.nick, persona.prompt) == (
        "Marie_Curie",
        "Tu es Marie Curie. Tu mesures {tout}.",
    )
    assert (persona.model, persona.color) == ("default", color_of(PersonaId("persona_1")))
    assert found.personas[-1].origin == "created"


def test_a_made_persona_with_a_prompt_is_directed_by_its_summary() -> None:
    made = edit("p", created=True, name="Ada", summary="Sois brève.", prompt="Tu es Ada.")
    persona = desk(made).cast.personas[-1]
    assert persona.prompt == "Tu es Ada.\n\nDirection de la rédaction : Sois brève."


def test_topics_and_the_dispatcher_follow_a_new_name() -> None:
    topics = (TopicRule("son", frozenset({"son"}), (Nick("Batty"), Nick("Isa"))),)
    written = Cast((BATTY, ISA), topics, Nick("Batty"))
    cast = desk(edit("batty", name="Roy"), written=written).cast
    assert cast.dispatcher == "Roy"
    assert cast.topics[0].nicks == ("Roy", "Isa")


def test_an_edit_whose_file_has_gone_is_listed_and_does_not_speak() -> None:
    found = desk(edit("gone", name="Parti"))
    assert (found.personas[-1].name, found.personas[-1].origin) == ("Parti", "orphan")
    assert found.cast == replace(Cast((BATTY, ISA)), problems=found.cast.problems)
    assert not found.cast.problems


def test_a_name_that_a_file_has_by_now_is_not_given_to_another() -> None:
    renamed = edit("batty", name="lsa")
    made = edit("p", created=True, name="BATTY")
    found = desk(renamed, made)
    assert [each.nick for each in found.cast.personas] == ["Batty", "Isa"]
    assert [each.name for each in found.personas] == ["Batty", "Isa", "BATTY"]
    assert [problem.file for problem in found.cast.problems] == ["editorial:batty", "editorial:p"]
