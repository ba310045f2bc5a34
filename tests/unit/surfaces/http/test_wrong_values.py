from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from palabre.surfaces.http.wrong_values import why_wrong
from palabre.texts import say


class Colour(StrEnum):
    RED = "red"


class Inner(BaseModel):
    a: int = 0


class Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: Annotated[str, Field(min_length=2, max_length=3, pattern="^[a-z]+$")] = "ab"
    many: Annotated[list[int], Field(min_length=1, max_length=2)] = [1]
    number: Annotated[int, Field(gt=0, lt=10)] = 1
    share: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 1
    is_so: bool = True
    one: Literal["x", "y"] = "x"
    colour: Colour = Colour.RED
    inner: Inner = Inner()
    pair: tuple[int, int] = (1, 2)
    needed: str


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"text": 5}, "il faut un texte"),
        ({"text": "a"}, "au moins 2 caractères"),
        ({"text": "abcd"}, "au plus 3 caractères"),
        ({"text": "AB"}, "la forme attendue est ^[a-z]+$"),
        ({"many": "x"}, "il faut une liste"),
        ({"many": []}, "au moins 1 élément"),
        ({"many": [1, 2, 3]}, "au plus 2 éléments"),
        ({"number": 0}, "plus de 0"),
        ({"number": 10}, "moins de 10"),
        ({"number": 1.5}, "il faut un nombre entier"),
        ({"number": True}, "il faut un nombre entier"),
        ({"share": -1}, "au moins 0"),
        ({"share": 2.5}, "au plus 2"),
        ({"share": "1"}, "il faut un nombre"),
        ({"share": float("nan")}, "il faut un nombre"),
        ({"is_so": "yes"}, "il faut true ou false"),
        ({"one": "z"}, "au choix : 'x', 'y'"),
        ({"inner": 5}, "il faut un objet"),
        ({"unknown": 1}, "ce nom n'est pas connu ici"),
        ({"needed": None}, "il faut un texte"),
        ({"pair": 5}, "sa forme n'est pas celle attendue"),
    ],
)
def test_what_is_wrong_is_said_with_its_limit(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Asked.model_validate({"needed": "x"} | wrong)
    [found] = caught.value.errors()
    assert say(why_wrong(found), "fr") == told
    assert say(why_wrong(found), "en") != told


def test_what_is_missing_is_said_to_be() -> None:
    with pytest.raises(ValidationError) as caught:
        Asked.model_validate({})
    assert say(why_wrong(caught.value.errors()[0]), "en") == "it is missing"
