import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palabre.adapters.personas.card_shelf import CardShelf
from palabre.adapters.personas.persona_file import read_persona
from palabre.adapters.personas.persona_toml import persona_toml
from palabre.adapters.personas.table import FILE_SIZE_MAX_BYTES
from palabre.adapters.personas.toml_library import TomlPersonaLibrary
from palabre.core.personas.model import Cast, Example, Persona
from palabre.kernel.errors import StorageError
from palabre.testing.cards import as_base64, as_json, charx, png, t_ext, v1_card, v2_card, v3_card
from palabre.testing.personas import a_persona
from palabre.texts import say
from palabre.wire.cards.card_file import read_card
from palabre.wire.cards.errors import CardError
from palabre.wire.cards.png import plain_picture, read_png

NOBODY = Cast(())
NOW_S = 1_800_000_000


@pytest.fixture
def shelf(tmp_path: Path) -> CardShelf:
    bundled = tmp_path / "bundled"
    bundled.mkdir()
    return CardShelf(tmp_path / "own", bundled, default_model="m")


def codes(remarks: tuple) -> list[str]:
    return [each.code.rpartition(".")[2] for each in remarks]


async def test_a_card_becomes_a_persona_that_the_library_reads(
    shelf: CardShelf, tmp_path: Path
) -> None:
    taken = shelf.take(as_json(v3_card()), NOBODY)
    cast = await TomlPersonaLibrary([tmp_path / "own"]).load()
    assert (cast.personas, cast.problems) == ((taken.persona,), ())
    assert "{{char}}" in cast.personas[0].prompt
    assert taken.path == tmp_path / "own/alice.toml"


def test_the_whole_card_is_kept_beside_the_persona(shelf: CardShelf, tmp_path: Path) -> None:
    content = as_json(v3_card(), indent=3)
    assert shelf.take(content, NOBODY).kept == (tmp_path / "own/alice.card.json",)
    assert (tmp_path / "own/alice.card.json").read_bytes() == content
    packed = charx(v3_card(), {"a": b"b"})
    assert [path.name for path in shelf.take(packed, NOBODY).kept] == [
        *("alice-2.card.json", "alice-2.card.charx")
    ]
    assert (tmp_path / "own/alice-2.card.charx").read_bytes() == packed


async def test_two_cards_of_one_name_make_two_personas(shelf: CardShelf, tmp_path: Path) -> None:
    """SillyTavern#5756: the second replaced the first."""
    library = TomlPersonaLibrary([tmp_path / "own"])
    shelf.take(as_json(v2_card(description="one")), NOBODY)
    first = {path.name: path.read_bytes() for path in (tmp_path / "own").iterdir()}
    second = shelf.take(as_json(v2_card(description="two")), await library.load())
    assert (second.persona.id, second.persona.nick) == ("alice-2", "Alice-2")
    assert codes(second.remarks)[0] == "renamed"
    assert {name: (tmp_path / "own" / name).read_bytes() for name in first} == first
    assert [each.nick for each in (await library.load()).personas] == ["Alice", "Alice-2"]


def test_no_persona_that_comes_along_is_replaced(shelf: CardShelf, tmp_path: Path) -> None:
    (tmp_path / "bundled/alice.toml").write_text("")
    taken = shelf.take(as_json(v2_card()), Cast((a_persona("Bob"),)))
    assert (taken.persona.id, taken.persona.nick) == ("alice-2", "Alice")


def test_a_name_is_not_taken_from_a_file_that_waits_to_be_mended(
    shelf: CardShelf, tmp_path: Path
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/queen.toml").write_text('nick = "Alice"\ncolor = 5')
    assert shelf.take(as_json(v2_card()), NOBODY).persona.nick == "Alice-2"


def test_an_id_that_is_wished_for_is_taken_or_refused(shelf: CardShelf) -> None:
    assert shelf.take(as_json(v1_card()), NOBODY, wished_id="girl").persona.id == "girl"
    for wished, problem in (("girl", "id_taken"), ("../x", "bad_id"), ("A", "bad_id")):
        with pytest.raises(CardError) as caught:
            shelf.take(as_json(v1_card()), NOBODY, wished_id=wished)
        assert caught.value.problem == problem


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("a file")
    with pytest.raises(StorageError):
        CardShelf(tmp_path / "own", tmp_path, default_model="m").take(as_json(v1_card()), NOBODY)


def test_what_has_no_effect_is_told(shelf: CardShelf) -> None:
    entries = [{"keys": ["a"], "content": "b"}, {"keys": [], "content": "@@activate\nc"}]
    made = {**v3_card(character_book={"entries": entries}), "spec_version": "4.0"}
    taken = shelf.take(as_json(made), NOBODY)
    assert codes(taken.remarks) == ["newer", "lore_asleep", "greetings"]
    assert taken.persona.prompt.endswith("\n\nc")
    silent = v1_card(name="Bob", first_mes="")
    assert shelf.take(as_json(silent), NOBODY).remarks == ()
    assert "null_book" in codes(shelf.take(as_json(v2_card(character_book=None)), NOBODY).remarks)


@pytest.mark.parametrize("form", ["json", "png", "charx"])
def test_a_card_that_nobody_edited_is_given_as_it_came(shelf: CardShelf, form: str) -> None:
    made = v3_card(nickname="Al", x_odd=[1.0, None], outside={"y": 2})
    persona = shelf.take(as_json(made), NOBODY).persona
    given_ = json.loads(read_card(shelf.give(persona, form, NOW_S)).json)
    data, wanted = given_["data"], dict(made["data"])
    assert data.pop("extensions").keys() == {"other/app", "palabre"}
    assert data.pop("modification_date") == NOW_S
    assert given_["y"] == 2
    data.pop("assets", None)
    wanted.pop("extensions")
    assert data == wanted


def test_an_edit_reaches_the_card_and_nothing_else_does(shelf: CardShelf) -> None:
    persona = shelf.take(as_json(v2_card(x=1)), NOBODY).persona
    edited = replace(persona, prompt="New.", color="#010203")
    data = json.loads(shelf.give(edited, "json", NOW_S))["data"]
    assert (data["description"], data["personality"], data["x"]) == ("New.", "", 1)
    assert data["extensions"]["palabre"]["color"] == "#010203"
    assert data["creator_notes"] == "A girl for long walks."


def test_a_picture_that_came_goes_out_and_without_one_the_colour_does(shelf: CardShelf) -> None:
    source = png(t_ext("chara", as_base64(v2_card())), t_ext("Software", b"x"), animated=True)
    persona = shelf.take(source, NOBODY).persona
    assert read_png(shelf.give(persona, "png", NOW_S)).picture == read_png(source).picture
    plain = a_persona("Bob", color="#0a0b0c")
    assert read_png(shelf.give(plain, "png", NOW_S)).picture == plain_picture("#0a0b0c")


def test_a_persona_that_came_from_no_card_comes_back_the_same(shelf: CardShelf) -> None:
    persona = replace(
        a_persona("Bob"), examples=(Example("a", "b"),), voice="v", short_prompt="s", max_tokens=9
    )
    for form in ("json", "png", "charx"):
        again = shelf.take(shelf.give(persona, form, NOW_S), NOBODY).persona
        assert replace(again, id=persona.id, nick=persona.nick) == persona


def test_what_was_kept_and_is_broken_now_is_named(shelf: CardShelf, tmp_path: Path) -> None:
    persona = shelf.take(png(t_ext("chara", as_base64(v2_card()))), NOBODY).persona
    (tmp_path / "own/alice.card.png").write_bytes(b"no picture")
    assert shelf.give(persona, "json", NOW_S)
    (tmp_path / "own/alice.card.json").write_bytes(b"no card")
    for form in ("json", "png"):
        with pytest.raises(CardError) as caught:
            shelf.give(persona, form, NOW_S)
        assert str(tmp_path / "own/alice.card.*") in say(caught.value.text, "en")


def test_tools_are_not_taken_over(shelf: CardShelf) -> None:
    persona = replace(a_persona("Bob"), tools=("web_search", "mcp:files/*"))
    taken = shelf.take(shelf.give(persona, "json", NOW_S), NOBODY)
    assert taken.persona.tools == ()
    assert codes(taken.remarks) == ["tools_not_given"]
    own = json.loads(shelf.give(taken.persona, "json", NOW_S))["data"]["extensions"]["palabre"]
    assert own["tools"] == []


def test_a_crowded_card_leaves_out_examples_until_its_file_is_small_enough(
    shelf: CardShelf,
) -> None:
    wide = "\U0001f43f" * 990
    talk = f"{{{{user}}}}: {wide}\n{{{{char}}}}: {wide}\n" * 4
    made = v1_card(description=wide * 9, personality=wide[:900], mes_example=talk)
    taken = shelf.take(as_json(made), NOBODY)
    assert len(taken.path.read_bytes()) <= FILE_SIZE_MAX_BYTES
    assert 0 < len(taken.persona.examples) < 4
    assert "prompt_shortened" in codes(taken.remarks)


WORDS = st.text(max_size=60)
FUZZ = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@FUZZ
@given(name=WORDS, description=WORDS, notes=WORDS, talk=WORDS, own=st.dictionaries(WORDS, WORDS))
def test_any_words_make_a_persona_that_can_be_read(
    shelf: CardShelf, name: str, description: str, notes: str, talk: str, own: dict[str, str]
) -> None:
    extensions = {"palabre": {**own, "color": description, "model": notes, "summary": talk}}
    made = v2_card(
        name=name,
        description=description,
        creator_notes=notes,
        mes_example=f"{{{{user}}}}: {talk}\n{{{{char}}}}: {notes}",
        extensions=extensions,
    )
    taken = shelf.take(as_json(made), NOBODY)
    assert read_persona(taken.path).persona == taken.persona


@given(st.text(), st.text())
def test_any_words_are_written_as_toml(one: str, other: str) -> None:
    words = f'{one}\n"""{other}\\'.replace("\r", "")
    persona: Persona = replace(a_persona("Bob", prompt=words), summary=one)
    read = tomllib.loads(persona_toml(persona))
    assert read["prompt"] == words
    assert read.get("summary", "") == one
