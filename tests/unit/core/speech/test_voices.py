from dataclasses import replace

from palabre.core.speech.model import Voice
from palabre.core.speech.voices import voice_of
from palabre.testing.personas import a_persona


def test_a_persona_speaks_with_the_voice_it_names() -> None:
    batty = replace(a_persona("Batty"), voice="fr_FR-upmc-medium")
    assert voice_of(batty) == Voice("fr_FR-upmc-medium", speaker="Batty")


def test_a_persona_without_a_voice_of_its_own_has_everybodys() -> None:
    assert voice_of(a_persona("Cage")) == Voice("fr_FR-siwis-medium", speaker="Cage")
