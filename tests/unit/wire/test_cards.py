import base64
import io
import json
import struct
import zipfile
import zlib
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palabre.testing.cards import (
    as_base64,
    as_json,
    charx,
    png,
    png_of,
    t_ext,
    v1_card,
    v2_card,
    v3_card,
    z_txt,
)
from palabre.texts import say
from palabre.wire.cards.backfill import write_v2
from palabre.wire.cards.card_file import read_card
from palabre.wire.cards.charx import ICON, write_charx
from palabre.wire.cards.document import CardDocument, read_document, write_v3
from palabre.wire.cards.errors import MAX_FILE_BYTES, MAX_JSON_BYTES, CardError
from palabre.wire.cards.members import read_array, read_object, whole, write_object
from palabre.wire.cards.png import plain_picture, write_png
from palabre.wire.cards.png_chunks import SIGNATURE, Chunk, read_chunks, write_chunks

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
EXTRAS = st.dictionaries(st.text().map(lambda name: f"x_{name}"), JSON, max_size=6)
QUICK = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def problem_of(content: bytes) -> str:
    with pytest.raises(CardError) as caught:
        read_card(content)
    return caught.value.problem


# --- whatever comes


@QUICK
@given(extras=EXTRAS, outside=EXTRAS, in_extensions=EXTRAS, ascii_only=st.booleans())
def test_any_json_that_we_do_not_know_comes_out_of_each_format_as_it_was_spelt(
    extras: dict[str, object],
    outside: dict[str, object],
    in_extensions: dict[str, object],
    ascii_only: bool,
) -> None:
    made = v3_card(outside=outside, **extras, extensions=in_extensions)
    source = read_document(as_json(made, ascii_only=ascii_only))
    card = source.changed({"description": "new"}, {"color": "#ffffff"})
    for content in (write_v3(card), write_png(card, plain_picture("#000000"))):
        found = read_card(content).document
        assert {k: found.data[k].raw for k in extras} == {k: source.data[k].raw for k in extras}
        assert {k: found.root[k].raw for k in outside} == {k: source.root[k].raw for k in outside}
        before = read_object(source.data["extensions"].raw)
        after = read_object(found.data["extensions"].raw)
        assert {k: after[k].raw for k in in_extensions} == {
            k: each.raw for k, each in before.items()
        }
        assert (found.fields.description, found.own["color"].value) == ("new", "#ffffff")


@QUICK
@given(content=st.binary(max_size=300), head=st.sampled_from([b"", b"{", SIGNATURE, b"PK\3\4"]))
def test_any_bytes_are_refused_with_our_error_alone(content: bytes, head: bytes) -> None:
    with pytest.raises(CardError):
        read_card(head + content)


WHOLE = (
    as_json(v3_card()),
    png(t_ext("chara", as_base64(v2_card()))),
    png(z_txt("ccv3", as_base64(v3_card()))),
    charx(v3_card(), {"assets/a.png": plain_picture("#000000")}),
)


@settings(parent=QUICK, max_examples=300)
@given(st.data())
def test_a_card_with_any_bytes_changed_is_read_or_refused(data: st.DataObject) -> None:
    content = bytearray(data.draw(st.sampled_from(WHOLE)))
    places = st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255))
    for place, value in data.draw(st.lists(places, min_size=1, max_size=8)):
        content[place] = value
    cut = data.draw(st.integers(0, len(content)) | st.just(len(content)))
    try:
        card = read_card(bytes(content[:cut]))
    except CardError as error:
        assert say(error.text, "en")
        return
    json.loads(write_v3(card.document), parse_int=str)
    write_v2(card.document)
    try:
        write_charx(card.document, card.archive, plain_picture("#000000"))
    except CardError as error:
        assert card.archive
        assert error.problem


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{",
        b'{"a"}',
        b'{"a":1,}',
        b'{"a":1}x',
        b"{1:2}",
        b'{"a":NaN}',
        b'{"a":"\xff"}',
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_what_is_not_json_is_refused(raw: bytes) -> None:
    with pytest.raises(CardError) as caught:
        read_document(raw)
    assert caught.value.problem == "not_json"


@pytest.mark.parametrize(
    "made",
    [
        {},
        {"name": "Alice"},
        {"spec": "lorebook_v3", "data": {"entries": []}},
        {"spec": "chara_card_v3", "data": []},
        {"description": "nobody"},
        {"spec": ["chara_card_v2"], "data": {}},
    ],
)
def test_json_that_is_no_card_is_refused(made: dict[str, object]) -> None:
    assert problem_of(as_json(made)) == "not_a_card"


# --- limits


def test_each_limit_is_named_in_its_error() -> None:
    too_long = as_json(v1_card(x="y" * MAX_JSON_BYTES))
    wide = png_of(50_001, 1000, t_ext("chara", as_base64(v1_card())))
    limits = {
        b"{" + b" " * MAX_FILE_BYTES: "20 MiB",
        too_long: "4 MiB",
        png(t_ext("chara", base64.b64encode(too_long))): "4 MiB",
        wide: "50 million",
        charx(v1_card(x="y" * MAX_JSON_BYTES)): "200 times",
    }
    for content, limit in limits.items():
        with pytest.raises(CardError) as caught:
            read_card(content)
        assert limit in say(caught.value.text, "en")


def test_a_picture_of_exactly_the_limit_is_taken() -> None:
    assert read_card(png_of(50_000, 1000, t_ext("chara", as_base64(v1_card())))).format == "png"


def test_a_bomb_in_a_text_is_counted_while_it_inflates() -> None:
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(300)) + packer.flush()
    assert len(bomb) < 400_000
    assert problem_of(png(Chunk(b"zTXt", b"chara\0\0" + bomb))) == "json_too_large"
    packed = Chunk(b"iTXt", b"ccv3\0\1\0\0\0" + bomb)
    assert problem_of(png(packed)) == "json_too_large"


@pytest.mark.parametrize("body", [b"chara\0\0rubbish", b"chara\0\0" + zlib.compress(b"x" * 99)[:9]])
def test_a_packed_text_that_is_broken_is_refused(body: bytes) -> None:
    assert problem_of(png(Chunk(b"zTXt", body))) == "broken_text"


def test_a_chunk_longer_than_its_file_ends_the_reading() -> None:
    huge = struct.pack(">I", 0x7FFF_FFFF) + b"tEXt" + b"chara\0"
    card = png(t_ext("chara", as_base64(v1_card())), after_end=huge)
    assert read_card(card).document.fields.name == "Alice"
    head = read_chunks(plain_picture("#000000"))[0]
    assert problem_of(SIGNATURE + bytes(head) + huge) == "no_card_inside"


def test_a_picture_with_too_many_chunks_is_refused() -> None:
    head = read_chunks(plain_picture("#000000"))[0]
    assert (
        problem_of(write_chunks([head]) + bytes(Chunk(b"teXt", b"")) * 100_000) == "too_many_chunks"
    )


def test_pictures_without_a_header_or_a_card_are_refused() -> None:
    assert problem_of(SIGNATURE) == "broken_picture"
    assert problem_of(png(t_ext("Software", b"chara"))) == "no_card_inside"


# --- zips


def test_a_charx_keeps_its_files_and_finds_its_icon_under_both_spellings() -> None:
    icon = plain_picture("#abcdef")
    for scheme in ("embeded", "embedded"):
        assets = [
            {"type": "icon", "uri": "ccdefault:", "name": "other", "ext": "png"},
            {"type": "icon", "uri": f"{scheme}://pictures/me.png", "name": "main", "ext": "png"},
        ]
        files = {"pictures/me.png": icon, "assets/x/ai/model.bin": b"\0\1"}
        card = read_card(charx(v3_card(assets=assets), files))
        assert (card.format, card.picture) == ("charx", icon)
        again = write_charx(card.document, card.archive, b"")
        with zipfile.ZipFile(io.BytesIO(again)) as archive:
            assert {name: archive.read(name) for name in files} == files


def test_a_card_without_a_zip_gets_its_picture_into_one() -> None:
    picture = plain_picture("#abcdef")
    card = read_card(write_charx(read_document(as_json(v1_card())), None, picture))
    assert card.picture == picture
    assert json.loads(card.json)["data"]["assets"][0]["uri"] == f"embeded://{ICON}"


def test_names_that_leave_their_folder_are_not_passed_on() -> None:
    files = dict.fromkeys(("../up", "/root", "a/../../b", "c:\\d", "good/e"), b"")
    card = read_card(charx(v3_card(), files))
    with zipfile.ZipFile(io.BytesIO(write_charx(card.document, card.archive, b""))) as archive:
        assert set(archive.namelist()) == {"good/e", "card.json"}


def test_hostile_zips_are_refused_with_their_reason() -> None:
    assert problem_of(charx(v3_card(), {f"f{n}": b"" for n in range(1000)})) == "too_many_entries"
    crowd = charx(v3_card(), {f"{n:060}": b"" for n in range(10_000)})
    assert problem_of(crowd) == "too_many_entries"
    assert problem_of(charx(v3_card(), {"bomb": b"\0" * (2 << 20)})) == "zip_bomb"
    assert problem_of(b"PK\3\4" + b"PK\5\6") == "broken_zip"
    good = charx(v3_card())
    encrypted = bytearray(good)
    encrypted[good.index(b"PK\1\2") + 8] |= 1
    assert problem_of(bytes(encrypted)) == "encrypted_zip"
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    assert problem_of(empty.getvalue()) == "no_card_inside"
    odd = io.BytesIO()
    with zipfile.ZipFile(odd, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("card.json", as_json(v3_card()))
    assert problem_of(odd.getvalue()) == "broken_zip"


def test_a_size_that_a_zip_lies_about_is_not_believed() -> None:
    content = bytearray(charx(v1_card(x="y" * MAX_JSON_BYTES)))
    place = content.index(b"PK\1\2") + 24
    content[place : place + 4] = struct.pack("<I", 100)
    assert problem_of(bytes(content)) in {"broken_zip", "json_too_large"}


def test_other_files_are_refused() -> None:
    assert problem_of(b"GIF89a") == problem_of(b"") == "unknown_format"


# --- what is said


def test_fields_of_a_wrong_kind_are_empty_and_numbers_are_words() -> None:
    said = read_document(as_json(v2_card(name=7, tags="no", creator={}, extensions=[]))).fields
    assert (said.name, said.tags, said.creator, said.extensions) == ("7", (), "", ())


def test_half_characters_are_replaced_where_they_are_read() -> None:
    said = read_document(as_json(v2_card(description="a\ud83d"), ascii_only=True)).fields
    assert said.description == whole("a\ud83d") == "a\ufffd"


def test_the_version_is_what_the_card_says() -> None:
    made = {1: v1_card(), 2: v2_card(), 3: v3_card()}
    assert {n: read_document(as_json(each)).version for n, each in made.items()} == {
        1: 1,
        2: 2,
        3: 3,
    }
    for version, is_newer in (("3.0", False), ("3.1", True), ("nan", False), ("soon", False)):
        newer = {**v3_card(), "spec_version": version}
        assert read_document(as_json(newer)).is_newer is is_newer


def test_a_change_reaches_copies_outside_and_leaves_the_rest_of_our_data() -> None:
    made = v2_card(outside={"name": "Alice"}, extensions={"palabre": {"later": 1, "color": "x"}})
    card = read_document(as_json(made)).changed({"name": "Bob"}, {"color": "#000000"})
    told = json.loads(write_v3(card))
    assert told["name"] == told["data"]["name"] == "Bob"
    assert told["data"]["extensions"]["palabre"] == {"later": 1, "color": "#000000"}


def test_a_null_book_is_told_and_left_out() -> None:
    card = read_document(as_json(v2_card(character_book=None)))
    assert card.fields.lore_is_null
    assert "character_book" not in json.loads(write_v3(card))["data"]
    assert "character_book" not in json.loads(write_v2(card))["data"]


def test_a_book_of_a_wrong_shape_is_copied_as_it_is() -> None:
    for book in ({"entries": 5}, {"entries": ["a"]}, [], {"entries": [{"content": 3}]}):
        card = read_document(as_json(v3_card(character_book=book)))
        assert json.loads(write_v2(card))["data"]["character_book"] == book
        assert not card.fields.lore or card.fields.lore[0].content == ""


def test_a_card_of_a_later_version_stays_one() -> None:
    card = read_document(as_json({**v3_card(), "spec_version": "3.5"}))
    assert json.loads(write_v3(card))["spec_version"] == "3.5"
    assert json.loads(write_v2(card))["spec_version"] == "2.0"


def test_a_notice_is_written_once() -> None:
    once = read_document(write_v2(read_document(as_json(v3_card()))))
    assert json.loads(write_v2(once)) == json.loads(write_v2(read_document(write_v2(once))))


# --- spelling


def test_members_keep_their_spelling_and_of_two_the_later_counts() -> None:
    members = read_object(' {"\\u0061" : 1.0 ,"b":[ ], "b": {"c" :2} } ')
    assert write_object(members) == '{"\\u0061":1.0,"b":{"c" :2}}'
    assert read_object("{ }") == {}
    assert read_array(' [1e3 , "a,]" ,[]]') == ["1e3", '"a,]"', "[]"]
    assert read_array("[ ]") == []


def test_an_empty_card_is_written_whole() -> None:
    assert json.loads(write_v3(replace(CardDocument())))["data"]["extensions"] == {}
