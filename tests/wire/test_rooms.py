"""The rooms protocol, byte for byte and for any input (seed 000 §5.6 and §5.7)."""

import json
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from palabre.wire import rooms as wire

# --- golden frames ------------------------------------------------------------------------------

GOLDEN = {
    "message": (
        wire.Message("Schaeffer", "Xenakis a formalise...", "#4fc3f7", 42),
        '{"type":"message","nick":"Schaeffer","text":"Xenakis a formalise...",'
        '"color":"#4fc3f7","seq":42}',
    ),
    "chunk": (
        wire.Chunk("Schaeffer", " stochastique", "#4fc3f7", 3),
        '{"type":"chunk","nick":"Schaeffer","text":" stochastique","color":"#4fc3f7","seq":3}',
    ),
    "system": (
        wire.System("Schaeffer est en train d'ecrire..."),
        '{"type":"system","text":"Schaeffer est en train d\'ecrire..."}',
    ),
    "join": (
        wire.Join("user_42", "#general", "user_42 a rejoint #general", 43),
        '{"type":"join","nick":"user_42","channel":"#general",'
        '"text":"user_42 a rejoint #general","seq":43}',
    ),
    "part": (
        wire.Part("user_42", "#general", "user_42 a quitte #general", 44),
        '{"type":"part","nick":"user_42","channel":"#general",'
        '"text":"user_42 a quitte #general","seq":44}',
    ),
    "userlist": (
        wire.UserList(("user_42", "Schaeffer", "Batty", "Radigue")),
        '{"type":"userlist","users":["user_42","Schaeffer","Batty","Radigue"]}',
    ),
    "persona": (
        wire.Persona("Schaeffer", "#4fc3f7"),
        '{"type":"persona","nick":"Schaeffer","color":"#4fc3f7"}',
    ),
    "channelInfo": (
        wire.ChannelInfo("#musique"),
        '{"type":"channelInfo","channel":"#musique"}',
    ),
    "audio": (
        wire.Audio("Schaeffer", "UklGRg==", "audio/wav"),
        '{"type":"audio","nick":"Schaeffer","data":"UklGRg==","mimeType":"audio/wav"}',
    ),
    "image": (
        wire.Image(
            "user_42",
            '[Image generee: "dystopian cityscape" seed:123456]',
            "iVBORw==",
            "image/png",
        ),
        '{"type":"image","nick":"user_42",'
        '"text":"[Image generee: \\"dystopian cityscape\\" seed:123456]",'
        '"imageData":"iVBORw==","imageMime":"image/png"}',
    ),
    "music": (
        wire.Music("user_42", '[Musique: "ambient drone" — 45s]', "UklGRg==", "audio/wav"),
        '{"type":"music","nick":"user_42","text":"[Musique: \\"ambient drone\\" — 45s]",'
        '"audioData":"UklGRg==","audioMime":"audio/wav"}',
    ),
}

GOLDEN_CLIENT = {
    "message": (
        wire.SendMessage("Bonjour @Schaeffer, que penses-tu de Xenakis?"),
        '{"type":"message","text":"Bonjour @Schaeffer, que penses-tu de Xenakis?"}',
    ),
    "command": (
        wire.SendCommand("/web musique concrete Pierre Schaeffer"),
        '{"type":"command","text":"/web musique concrete Pierre Schaeffer"}',
    ),
    "upload": (
        wire.SendUpload("photo.jpg", "image/jpeg", "/9j/4A==", 245760),
        '{"type":"upload","filename":"photo.jpg","mimeType":"image/jpeg",'
        '"data":"/9j/4A==","size":245760}',
    ),
}


@pytest.mark.parametrize("kind", GOLDEN)
def test_each_frame_of_the_server_is_written_as_the_seed_shows_it(kind: str) -> None:
    """§5.7 — Type union (TypeScript, chat-types.ts)"""
    frame, written = GOLDEN[kind]
    assert wire.encode(frame).decode() == written
    assert wire.decode_server(written) == frame


@pytest.mark.parametrize("kind", GOLDEN_CLIENT)
def test_each_frame_of_a_client_is_read_as_the_seed_shows_it(kind: str) -> None:
    """§5.6 — Valides par wsMessageSchema (Zod discriminated union dans schemas.ts)."""
    frame, written = GOLDEN_CLIENT[kind]
    assert wire.decode(written) == wire.decode(written.encode()) == frame


def test_every_type_of_the_seed_has_a_golden_frame() -> None:
    """§5.7 — Type union (TypeScript, chat-types.ts)"""
    kinds = {type(frame) for frame, _ in GOLDEN.values()}
    assert kinds == set(get_args(wire.ServerFrame)) - {wire.UploadTicket}
    asked = {type(frame) for frame, _ in GOLDEN_CLIENT.values()}
    assert asked == set(get_args(wire.ClientFrame)) - {wire.AskUploadTicket}


def test_a_ticket_for_files_is_asked_for_and_given() -> None:
    """Decision — a client that asks gets a ticket for POST /api/v2/uploads; no other sees one."""
    assert wire.decode('{"type":"uploadTicket"}') == wire.AskUploadTicket()
    written = b'{"type":"uploadTicket","ticket":"abc","maxBytes":12582912}'
    assert wire.encode(wire.UploadTicket("abc", 12_582_912)) == written


def test_a_sentence_that_is_heard_tells_its_place_in_the_reply() -> None:
    """Decision — audio carries the replyId and the number of its sentence, from 1."""
    frame = wire.Audio("B", "AAAA", "audio/wav", 5, "reply_1", 2)
    assert wire.encode(frame).endswith(b',"seq":5,"replyId":"reply_1","number":2}')


def test_what_is_added_to_the_seed_comes_last_and_only_where_it_is_set() -> None:
    """Decision — chunk, message and typing line carry a replyId, people's messages none."""
    frames = [
        wire.Message("B", "t", "#000000", 1, "reply_1"),
        wire.Chunk("B", "t", "#000000", 1, "reply_1"),
        wire.System("t", 1, "reply_1"),
    ]
    assert all(wire.encode(each).endswith(b',"seq":1,"replyId":"reply_1"}') for each in frames)


# --- any input ----------------------------------------------------------------------------------

any_text = st.text(st.characters(codec="utf-8"))
counted = st.just(UNSET) | st.integers(0, 2**53)
named = st.just(UNSET) | any_text
spoken = st.text(st.characters(codec="utf-8"), min_size=1, max_size=50)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner) | st.dictionaries(any_text, inner),
    max_leaves=8,
)
client_frames = (
    st.builds(wire.SendMessage, spoken)
    | st.builds(wire.SendCommand, spoken)
    | st.builds(
        wire.SendUpload,
        st.just(UNSET) | st.text(st.characters(codec="utf-8"), max_size=20),
        st.just(UNSET) | st.text(st.characters(codec="utf-8"), max_size=20),
        named,
        st.just(UNSET) | st.floats(-1e9, wire.MAX_FRAME_BYTES),
    )
)
server_frames = st.one_of(
    st.builds(wire.Message, any_text, any_text, any_text, counted, named),
    st.builds(wire.Chunk, any_text, any_text, any_text, st.integers(1, 2**53), named),
    st.builds(wire.System, any_text, counted, named),
    st.builds(wire.Join, any_text, any_text, any_text, counted),
    st.builds(wire.Part, any_text, any_text, any_text, counted),
    st.builds(wire.UserList, st.lists(any_text).map(tuple), counted),
    st.builds(wire.Persona, any_text, any_text, counted),
    st.builds(wire.ChannelInfo, any_text, counted),
    st.builds(wire.Audio, any_text, any_text, any_text, counted),
    st.builds(wire.Image, any_text, any_text, any_text, any_text, counted),
    st.builds(wire.Music, any_text, any_text, any_text, any_text, counted),
)


def judged(raw: bytes | str) -> str:
    """Return what becomes of *raw*; fails on any other error."""
    try:
        wire.decode(raw)
    except wire.ProtocolError as error:
        return type(error).__name__
    return "frame"


@given(st.binary() | st.text(st.characters(categories=None)))
def test_any_bytes_are_a_frame_or_a_protocol_error(raw: bytes | str) -> None:
    """§5.6 — 3. JSON parse → silently dropped si invalide"""
    assert judged(raw) in {"NotJsonError", "InvalidFrameError", "frame"}


@given(json_values)
def test_any_json_is_a_frame_or_is_invalid(value: object) -> None:
    """§5.6 — 4. Zod wsMessageSchema.safeParse() → system error reply si invalide"""
    try:
        raw = json.dumps(value, allow_nan=False)
    except ValueError:
        return
    assert judged(raw) in {"InvalidFrameError", "frame"}


@given(
    st.sampled_from(["message", "command", "upload", "persona", ""]),
    st.dictionaries(
        st.sampled_from(["text", "filename", "mimeType", "data", "size", "x"]), json_values
    ),
)
def test_any_fields_are_a_frame_or_invalid(kind: str, fields: dict[str, object]) -> None:
    """§5.6 — 4. Zod wsMessageSchema.safeParse() → system error reply si invalide"""
    try:
        raw = json.dumps({"type": kind, **fields}, allow_nan=False)
    except ValueError:
        return
    verdict = judged(raw)
    words = fields.get("text")
    if kind in {"message", "command"}:
        right = isinstance(words, str) and 1 <= len(words) <= wire.MAX_TEXT
        assert (verdict == "frame") is right
    elif kind != "upload":
        assert verdict == "InvalidFrameError"


@given(client_frames, st.data())
def test_a_frame_that_was_cut_or_changed_raises_nothing_else(
    frame: wire.ClientFrame, data: st.DataObject
) -> None:
    """§5.6 — Validation pipeline (dans cet ordre)"""
    raw = bytearray(wire.encode(frame))
    at = data.draw(st.integers(0, len(raw) - 1))
    assert judged(bytes(raw[:at])) == "NotJsonError"
    raw[at] = data.draw(st.integers(0, 255))
    assert judged(bytes(raw)) in {"NotJsonError", "InvalidFrameError", "frame"}


DEEP = "[" * 10_000
NESTED = [
    DEEP,
    DEEP + "]" * 10_000,
    '{"a":' * 10_000,
    '{"a":' * 10_000 + "5" + "}" * 10_000,
    '{"type":"message","text":"a","x":' + DEEP,
    '{"type":"message","text":' + DEEP + "]" * 10_000 + "}",
]


@pytest.mark.parametrize("raw", NESTED, ids=lambda raw: raw[:40])
def test_deep_nesting_raises_nothing_else(raw: str) -> None:
    """§5.6 — 3. JSON parse → silently dropped si invalide"""
    assert judged(raw) == judged(raw.encode()) == "NotJsonError"


@settings(max_examples=300)
@given(client_frames)
def test_what_a_client_writes_is_read_back(frame: wire.ClientFrame) -> None:
    """§5.6 — Messages entrants (client -> serveur)"""
    assert wire.decode(wire.encode(frame)) == frame
    assert wire.decode(wire.encode(frame).decode()) == frame


@settings(max_examples=300)
@given(server_frames)
def test_what_a_server_writes_is_read_back_on_one_line(frame: wire.ServerFrame) -> None:
    """§5.7 — Messages sortants (serveur -> client)"""
    raw = wire.encode(frame)
    assert b"\n" not in raw
    assert wire.decode_server(raw) == frame
    assert json.loads(raw)["type"] in GOLDEN
