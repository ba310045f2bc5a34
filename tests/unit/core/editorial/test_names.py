"""Names that editors give, and what the rooms make of them."""

import pytest

from palabre.core.editorial.errors import InvalidPersonaNameError, PersonaNameTakenError
from palabre.core.editorial.model import DeskPersona
from palabre.core.editorial.names import checked_name, demand_free, nick_of
from palabre.kernel.ids import PersonaId
from palabre.testing.personas import a_persona


@pytest.mark.parametrize(
    ("words", "name", "nick"),
    [
        ("A", "A", "A"),
        ("a" * 50, "a" * 50, "a" * 50),
        ("  Marie   Curie ", "Marie Curie", "Marie_Curie"),
        ("Jeanne d'Arc", "Jeanne d'Arc", "Jeanne_d_Arc"),
        ("Dr. Who Jr.", "Dr. Who Jr.", "Dr_Who_Jr"),
        ("Zoe\u0308", "Zoë", "Zoë"),
    ],
)
def test_letters_and_single_spaces_make_a_name(words: str, name: str, nick: str) -> None:
    assert checked_name(words) == name
    assert nick_of(name) == nick


@pytest.mark.parametrize(
    "words",
    ["", "   ", "a" * 51, "a\nb\x00", "<b>x</b>", "@Batty", "#general", "Бatty", "a\u202eb", "'x"],
)
def test_anything_else_is_refused(words: str) -> None:
    with pytest.raises(InvalidPersonaNameError):
        checked_name(words)


def test_a_name_that_looks_like_another_is_taken_but_ones_own_is_free() -> None:
    batty = DeskPersona("Batty", a_persona("Batty"), "shipped", enabled=False, edited=False)
    for name in ("batty", "BATTY"):
        with pytest.raises(PersonaNameTakenError) as refused:
            demand_free(name, [batty])
        assert refused.value.data["other"] == "Batty"
    demand_free("batty", [batty], PersonaId("batty"))
    demand_free("Batt", [batty])
