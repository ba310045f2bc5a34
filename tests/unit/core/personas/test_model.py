import pytest

from palabre.core.personas.model import Cast
from palabre.testing.personas import a_persona

BATTY, FRATELLINI = a_persona("Batty"), a_persona("Fratellini", id="cirque")
CAST = Cast((BATTY, FRATELLINI))


@pytest.mark.parametrize("name", ["Fratellini", "fratellini", "@FRATELLINI", "cirque", "Cirque"])
def test_a_persona_is_found_by_its_nick_and_by_its_id(name: str) -> None:
    assert CAST.named(name) is FRATELLINI


@pytest.mark.parametrize("name", ["", "@", "Frat", "@@Batty"])
def test_nobody_is_found_by_another_name(name: str) -> None:
    assert CAST.named(name) is None
