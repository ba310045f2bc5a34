"""Frames that only a file can fill: their data is taken out before they are parsed."""

import base64
import contextlib
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.computing import computing_s

from palabre.wire import rooms as wire

MIB = 1024 * 1024
FILE = base64.b64encode(bytes(range(256)) * 4096).decode()
FRAME = {"type": "upload", "filename": 'a"data": "b.png', "mimeType": "image/png", "size": 1}


def written(*, escape: str = "", order: int = 0) -> str:
    fields = list({**FRAME, "data": FILE}.items())
    raw = json.dumps(dict(fields[order:] + fields[:order]))
    return raw.replace(escape, f"\\u{ord(escape):04x}") if escape else raw


@pytest.mark.parametrize("order", range(5))
@pytest.mark.parametrize("escape", ["", "/", "+"])
def test_a_large_upload_is_what_a_small_one_is(order: int, escape: str) -> None:
    frame = wire.decode(written(order=order, escape=escape))
    assert frame == wire.SendUpload(FRAME["filename"], "image/png", FILE, 1)
    assert wire.decode(written(order=order, escape=escape).encode()) == frame


@pytest.mark.parametrize("pad", ["x", "é", "\\u00e9"])
def test_a_field_that_nobody_knows_may_be_long(pad: str) -> None:
    raw = '{"type":"message","pad":"' + pad * MIB + '","text":"a"}'
    assert wire.decode(raw) == wire.SendMessage("a")


def test_the_longest_text_may_be_escaped_in_full() -> None:
    smiley = "\N{GRINNING FACE}" * wire.MAX_TEXT
    raw = json.dumps({"pad": "x" * MIB, "type": "message", "text": smiley})
    assert wire.decode(raw) == wire.SendMessage(smiley)


def test_slashes_may_be_escaped() -> None:
    frame = wire.decode(written().replace("/", "\\/"))
    assert isinstance(frame, wire.SendUpload)
    assert frame.data == FILE


@pytest.mark.parametrize(
    "raw",
    [
        "x" * MIB,
        "[" * MIB,
        "[" + "0," * MIB + "0]",
        b"\xff" * MIB,
        b'{"type":"upload","data":"' + b"\xff" * MIB + b'"}',
        '{"type":"upload","data":"' + "A" * MIB,
        '{"type":"upload","data":"' + "A" * MIB + '",}',
    ],
)
def test_what_is_large_and_no_json_is_no_json(raw: str | bytes) -> None:
    with pytest.raises(wire.ProtocolError) as caught:
        wire.decode(raw)
    assert isinstance(caught.value, wire.NotJsonError) or str(raw)[:1] == "{"


@pytest.mark.parametrize(
    "raw",
    [
        '{"type":"message","text":"' + "a" * MIB + '"}',
        '{"type":"message","text":"a","pad":[' + "1," * MIB + "1]}",
        '{"type":"message","text":"a","pad":"' + r"\"" * MIB + '"}',
        '{"type":"upload","filename":"' + "a" * MIB + '"}',
        '{"type":"upload","data":"' + "\\u0041" * MIB + '"}',
        '{"type":"nonsense","data":"' + "A" * MIB + '"}',
        '{"data":"' + "A" * MIB + '"}',
    ],
)
def test_what_is_large_and_no_upload_is_no_frame(raw: str) -> None:
    with pytest.raises(wire.InvalidFrameError):
        wire.decode(raw)


def test_data_inside_another_field_is_not_the_data_of_the_file() -> None:
    frame = wire.decode('{"type":"upload","x":{"data":"' + "A" * MIB + '"}}')
    assert frame == wire.SendUpload()


@pytest.mark.parametrize(
    "unit",
    [
        "1.5e300,",
        "{},",
        "0,",
        '"a":1,',
        '"data",',
        '"data":1,',
        "\\u20ac",
        "€",
        '"',
        " ",
        "[",
        "\\",
    ],
)
@pytest.mark.parametrize(
    "opening",
    ["[", '{"type":"message","text":[', '{"type":"upload","x":[', '{"type":"upload","data":"', "{"],
)
def test_no_large_frame_is_slow_to_refuse(unit: str, opening: str) -> None:
    raw = (opening + unit * (2 * MIB // len(unit.encode()))).encode()
    assert computing_s(lambda: _decode(raw)) < 0.05


@pytest.mark.parametrize("unit", ["1.5e300,", "{},", '"a",', "1e-9,"])
def test_no_small_frame_is_slow_to_refuse(unit: str) -> None:
    raw = '{"type":"message","text":5,"x":[' + unit * (wire.LARGE_FRAME_BYTES // len(unit) - 10)
    assert computing_s(lambda: _decode((raw + "0]}").encode())) < 0.05


def _decode(raw: bytes) -> None:
    with contextlib.suppress(wire.ProtocolError):
        wire.decode(raw)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(["type", "text", "data", "size", "x"]), JSON, max_size=5))
def test_json_that_is_no_frame_is_told_from_what_is_no_json(value: dict[str, object]) -> None:
    raw = msgspec.json.encode(value)
    with contextlib.suppress(wire.InvalidFrameError):
        wire.decode(raw)
    with pytest.raises(wire.NotJsonError):
        wire.decode(raw[:-1])
