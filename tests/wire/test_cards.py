"""A shelf of card files, each with a quirk of its own: what comes in comes out."""

import base64
import json
from dataclasses import dataclass, field

import pytest

from palabre.testing.cards import (
    as_base64,
    as_json,
    charx,
    i_txt,
    png,
    png_around,
    t_ext,
    v1_card,
    v2_card,
    v3_card,
    with_bad_checksum,
    z_txt,
)
from palabre.wire.cards.backfill import NOTICE, write_v2
from palabre.wire.cards.card_file import read_card
from palabre.wire.cards.charx import write_charx
from palabre.wire.cards.document import read_document, write_v3
from palabre.wire.cards.members import read_object
from palabre.wire.cards.png import plain_picture, read_png, write_png
from palabre.wire.cards.png_chunks import read_chunks

ODD = '{"deep": [1.0, 1e3, 12345678901234567890, "\\u00e9\\/"], "x" : null }'
"""JSON whose spelling no library would repeat."""


@dataclass(frozen=True)
class Quirk:
    """A card file; *kept* are members of its data, *outside* those beside it, as they are spelt."""

    content: bytes
    name: str = "Alice"
    kept: dict[str, str] = field(default_factory=dict)
    outside: dict[str, str] = field(default_factory=dict)


def odd(card: dict[str, object], *, key: str = '"x_odd"') -> bytes:
    """Write *card* with a member in its data, or in the card for V1, that is oddly spelt."""
    written = as_json(card).decode()
    place = written.index("{", 1) if "data" in card else 0
    return f"{written[: place + 1]}{key} : {ODD} , {written[place + 1 :]}".encode()


def odd_base64(card: dict[str, object]) -> bytes:
    return base64.b64encode(odd(card))


BOOK = {
    "name": "wood",
    "extensions": {"other": 1},
    "x_unknown": True,
    "entries": [
        {
            "keys": ["fawn"],
            "content": "@@depth 4\n@@@position x\n\nA fawn.",
            "extensions": {},
            "enabled": True,
            "insertion_order": 1,
            "use_regex": False,
            "x_sort": 7,
        }
    ],
}

STALE = t_ext("chara", as_base64(v2_card(name="Stale")))

QUIRKS = {
    "V1": Quirk(odd(v1_card()), outside={"x_odd": ODD}),
    "V1 with what an old program adds": Quirk(
        as_json(v1_card(chat="Alice - 2023", create_date=1)),
        outside={"chat": '"Alice - 2023"', "create_date": "1"},
    ),
    "V2": Quirk(odd(v2_card()), kept={"x_odd": ODD}),
    "V2 with copies outside": Quirk(
        as_json(v2_card(outside={"name": "Alice", "avatar": "none", "fav": False})),
        outside={"name": '"Alice"', "avatar": '"none"', "fav": "false"},
    ),
    "V2 whose book is null": Quirk(as_json(v2_card(character_book=None))),
    "V2 without most fields": Quirk(b'{"spec":"chara_card_v2","data":{"name":"Alice"}}'),
    "V2 with nulls for words": Quirk(
        as_json(v2_card(description=None, tags=None, x=None)),
        kept={"description": '""', "tags": "[]", "x": "null"},
    ),
    "V2 without its spec": Quirk(as_json({"data": v2_card()["data"]})),
    "V3": Quirk(odd(v3_card()), kept={"x_odd": ODD}),
    "V3 with a nickname": Quirk(as_json(v3_card(nickname="Al")), kept={"nickname": '"Al"'}),
    "V3 with a book and decorators": Quirk(
        as_json(v3_card(character_book=BOOK)), kept={"character_book": json.dumps(BOOK)}
    ),
    "V3 of tomorrow": Quirk(
        as_json({**v3_card(x_new=[1]), "spec_version": "3.5"}),
        kept={"x_new": "[1]"},
        outside={"spec_version": '"3.5"'},
    ),
    "JSON with a byte order mark, indented": Quirk(b"\xef\xbb\xbf" + as_json(v3_card(), indent=4)),
    "JSON with escaped letters and half a character": Quirk(
        as_json(v3_card(x_half="\ud83d", name="Alic\u00e9"), ascii_only=True),
        name="Alicé",
        kept={"x_half": '"\\ud83d"', "name": '"Alic\\u00e9"'},
    ),
    "JSON with an escaped key": Quirk(
        odd(v3_card(), key='"x_\\u00e9"'), kept={"x_é": ODD}
    ),
    "JSON with numbers beyond any type": Quirk(
        b'{"spec":"chara_card_v3","data":{"name":"Alice","n":1e999,"m":' + b"7" * 5000 + b"}}",
        kept={"n": "1e999", "m": "7" * 5000},
    ),
    "PNG with tEXt chara": Quirk(png(t_ext("chara", odd_base64(v2_card()))), kept={"x_odd": ODD}),
    "PNG with tEXt Chara, V1": Quirk(
        png(t_ext("Chara", odd_base64(v1_card()))), outside={"x_odd": ODD}
    ),
    "PNG with zTXt": Quirk(png(z_txt("chara", odd_base64(v2_card()))), kept={"x_odd": ODD}),
    "PNG with iTXt": Quirk(png(i_txt("ccv3", odd_base64(v3_card()))), kept={"x_odd": ODD}),
    "PNG with packed iTXt": Quirk(
        png(i_txt("ccv3", odd_base64(v3_card()), packed=True)), kept={"x_odd": ODD}
    ),
    "PNG with both, the old one first": Quirk(
        png(STALE, t_ext("ccv3", odd_base64(v3_card()))), kept={"x_odd": ODD}
    ),
    "PNG whose ccv3 is broken": Quirk(
        png(t_ext("ccv3", b"no base64!"), t_ext("chara", odd_base64(v2_card()))),
        kept={"x_odd": ODD},
    ),
    "PNG with a wrong checksum": Quirk(
        png_around(with_bad_checksum(t_ext("chara", odd_base64(v2_card())))), kept={"x_odd": ODD}
    ),
    "PNG with the card after its end": Quirk(
        png(after_end=bytes(t_ext("chara", odd_base64(v2_card())))), kept={"x_odd": ODD}
    ),
    "PNG with rubbish after its end": Quirk(
        png(t_ext("chara", odd_base64(v2_card())), after_end=b"\xff" * 50), kept={"x_odd": ODD}
    ),
    "PNG with broken lines and no padding": Quirk(
        png(t_ext("chara", base64.encodebytes(odd(v2_card())).rstrip(b"=\n"))), kept={"x_odd": ODD}
    ),
    "PNG with URL-safe base64": Quirk(
        png(t_ext("chara", base64.urlsafe_b64encode(as_json(v2_card(name="Alice", x="???>>>"))))),
        kept={"x": '"???>>>"'},
    ),
    "PNG with plain JSON": Quirk(png(i_txt("chara", odd(v2_card()))), kept={"x_odd": ODD}),
    "PNG with other texts": Quirk(
        png(t_ext("Software", b"a camera"), t_ext("chara", odd_base64(v2_card()))),
        kept={"x_odd": ODD},
    ),
    "APNG": Quirk(png(t_ext("ccv3", odd_base64(v3_card())), animated=True), kept={"x_odd": ODD}),
    "CHARX": Quirk(charx(v3_card(x_odd=[1, 2]), {"assets/other/a.bin": b"?"}), kept={"x_odd": "[1, 2]"}),
    "CHARX behind a JPEG": Quirk(charx(v3_card(), before=b"\xff\xd8\xff\xe0 a picture")),
}  # fmt: skip


@pytest.mark.parametrize("quirk", QUIRKS.values(), ids=QUIRKS)
def test_a_card_is_read_and_its_members_come_out_as_they_were_spelt(quirk: Quirk) -> None:
    card = read_card(quirk.content).document
    assert card.fields.name == quirk.name
    again = write_v3(card)
    json.loads(again, parse_int=str)
    root = read_object(again.decode())
    data = read_object(root["data"].raw)
    assert {key: data[key].raw for key in quirk.kept} == quirk.kept
    assert {key: root[key].raw for key in quirk.outside} == quirk.outside
    assert root["spec"].value == "chara_card_v3"


@pytest.mark.parametrize("quirk", QUIRKS.values(), ids=QUIRKS)
def test_what_is_written_is_read_as_the_same_card_in_each_format(quirk: Quirk) -> None:
    card = read_card(quirk.content).document
    picture = plain_picture("#123456")
    wanted = {key: each.raw for key, each in read_document(write_v3(card)).data.items()}
    for content in (write_v3(card), write_png(card, picture)):
        found = read_card(content).document.data
        assert {key: each.raw for key, each in found.items()} == wanted
    in_zip = read_card(write_charx(card, None, picture)).document.data
    assert {key: in_zip[key].raw for key in wanted} == wanted


@pytest.mark.parametrize("quirk", QUIRKS.values(), ids=QUIRKS)
def test_v3_has_all_that_its_specification_demands_and_v2_nothing_newer(quirk: Quirk) -> None:
    card = read_card(quirk.content).document
    data = json.loads(write_v3(card), parse_int=str)["data"]
    assert {"name", "description", "group_only_greetings", "extensions", "tags"} <= data.keys()
    old = json.loads(write_v2(card), parse_int=str)
    assert (old["spec"], old["spec_version"]) == ("chara_card_v2", "2.0")
    assert not {"nickname", "assets", "group_only_greetings"} & old["data"].keys()
    assert old["data"]["creator_notes"].startswith(NOTICE)


def test_what_was_wrong_and_did_not_matter_is_told() -> None:
    told = {
        "PNG with a wrong checksum": ["card.remark.bad_checksum"],
        "PNG whose ccv3 is broken": ["card.remark.other_copy_broken"],
        "PNG with tEXt chara": [],
    }
    for name, codes in told.items():
        assert [each.code for each in read_card(QUIRKS[name].content).remarks] == codes


def test_a_picture_keeps_all_its_other_chunks_and_loses_its_old_cards() -> None:
    source = png(STALE, t_ext("Software", b"a camera"), animated=True)
    card = read_card(as_json(v3_card())).document
    kinds = [chunk.kind for chunk in read_chunks(write_png(card, source))]
    assert kinds == [b"IHDR", b"acTL", b"fcTL", b"IDAT", b"tEXt", b"tEXt", b"tEXt", b"IEND"]
    assert [c.kind for c in read_chunks(read_png(source).picture)] == [*kinds[:5], b"IEND"]


def test_the_copy_for_older_readers_has_no_decorators_and_keeps_the_rest_of_the_book() -> None:
    card = read_card(as_json(v3_card(character_book=BOOK))).document
    book = json.loads(write_v2(card))["data"]["character_book"]
    assert book["entries"][0]["content"] == "A fawn."
    assert (book["entries"][0]["x_sort"], book["x_unknown"]) == (7, True)
