import json

import pytest

from palabre.testing.cards import as_json, v3_card
from palabre.wire.cards.backfill import write_v2
from palabre.wire.cards.document import read_document, write_v3
from palabre.wire.cards.lore import LoreEntry, read_lore, without_decorators


@pytest.mark.parametrize(
    ("content", "plain"),
    [
        ("@@depth 4\n@@@role user\n\nA fawn.\n", "A fawn.\n"),
        ("\n @@activate\n\n\nA\n@@late 1", "A\n@@late 1"),
        ("@@activate", ""),
        ("plain\n@@not", "plain\n@@not"),
        ("\n\nplain", "\n\nplain"),
        ("mail@@home", "mail@@home"),
        ("@@ 4\nx", "@@ 4\nx"),
    ],
)
def test_decorators_are_taken_off_the_head_of_an_entry(content: str, plain: str) -> None:
    assert without_decorators(content) == plain


def test_entries_come_in_order_and_decorators_say_which_always_hold() -> None:
    entries = [
        {"content": "c", "insertion_order": 3.0, "constant": True},
        {"content": "@@activate\nb", "insertion_order": 2.0},
        {"content": "@@dont_activate\na", "insertion_order": 1.0, "constant": True},
        {"content": "d", "insertion_order": float("inf"), "enabled": False},
        "no entry",
    ]
    wanted = (
        LoreEntry("d", 0.0, is_enabled=False, is_constant=False),
        LoreEntry("a", 1.0, is_enabled=True, is_constant=False),
        LoreEntry("b", 2.0, is_enabled=True, is_constant=True),
        LoreEntry("c", 3.0, is_enabled=True, is_constant=True),
    )
    assert read_lore({"entries": entries}) == wanted


def test_a_book_in_a_shape_of_some_program_is_exported_as_the_specification_says() -> None:
    """SillyTavern#5777: other programs found no entries, and settings of one among them."""
    own = {
        "uid": 3,
        "key": ["fawn"],
        "keysecondary": [],
        "order": 7,
        "disable": False,
        "constant": True,
        "content": "A fawn.",
        "position": 1,
        "probability": 80,
        "extensions": {"x": 1},
    }
    odd = {"disable": True, "position": 4, "extensions": None}
    book = {"entries": {"0": own, "1": odd}, "sortOrder": "asc", "name": "wood"}
    card = read_document(as_json(v3_card(character_book=book)))
    for content in (write_v3(card), write_v2(card)):
        written = json.loads(content)["data"]["character_book"]
        assert (written["name"], written["extensions"]) == ("wood", {"sortOrder": "asc"})
        first, second = written["entries"]
        assert (first["keys"], first["id"], first["insertion_order"]) == (["fawn"], 3, 7)
        assert (first["enabled"], first["position"]) == (True, "after_char")
        assert first["extensions"] == {"probability": 80, "x": 1}
        assert (second["enabled"], second["keys"], second["content"]) == (False, [], "")
        assert second["extensions"] == {"x_position": 4}
    assert [each.is_enabled for each in card.fields.lore] == [True, False]
    assert card.fields.lore[0].is_constant


def test_a_book_whose_entries_are_no_objects_is_left_alone() -> None:
    for book in ({"entries": {"0": 5}}, {"entries": {}}):
        card = read_document(as_json(v3_card(character_book=book)))
        assert "entries" in json.loads(write_v3(card))["data"]["character_book"]
        assert card.fields.lore == ()
