"""Every event is one frame of the protocol, in the client's language."""

import json

import pytest
from websockets.frames import Frame as WebSocketFrame
from websockets.frames import Opcode
from websockets.streams import StreamReader

from palabre.core.chat.model import (
    ChannelEntered,
    DisplayCleared,
    Event,
    ImageShown,
    LargeEvent,
    MemberJoined,
    MemberParted,
    MessagePosted,
    MusicPlayed,
    NoticeGiven,
    PersonaIntroduced,
    ReplyGrew,
    RosterListed,
)
from palabre.core.chat.ports import LargePayload
from palabre.core.media.base64_text import PIECE_BYTES, to_base64
from palabre.kernel.ids import ChannelName, Nick, ReplyId
from palabre.kernel.text import text, verbatim
from palabre.surfaces.rooms.frames import json_lines, to_frame, websocket_frames
from palabre.wire import rooms as wire

ANA, HERE = Nick("ana"), ChannelName("#here")

CASES: list[tuple[Event, dict[str, object]]] = [
    (
        MessagePosted(ANA, "a", "#e0e0e0", seq=3),
        {"type": "message", "nick": "ana", "text": "a", "color": "#e0e0e0", "seq": 3},
    ),
    (
        MessagePosted(ANA, "a", "#e0e0e0"),
        {"type": "message", "nick": "ana", "text": "a", "color": "#e0e0e0"},
    ),
    (
        ReplyGrew(ANA, "a", "#ffffff", 1, ReplyId("r")),
        {
            "type": "chunk",
            "nick": "ana",
            "text": "a",
            "color": "#ffffff",
            "seq": 1,
            "replyId": "r",
        },
    ),
    (
        NoticeGiven(text("reply.typing", nick="Batty"), ReplyId("r"), 4),
        {"type": "system", "text": "Batty est en train d'ecrire...", "seq": 4, "replyId": "r"},
    ),
    (
        MemberJoined(ANA, HERE, 5),
        {
            "type": "join",
            "nick": "ana",
            "channel": "#here",
            "text": "ana a rejoint #here",
            "seq": 5,
        },
    ),
    (
        MemberParted(ANA, HERE),
        {"type": "part", "nick": "ana", "channel": "#here", "text": "ana a quitte #here"},
    ),
    (RosterListed((ANA, Nick("Batty"))), {"type": "userlist", "users": ["ana", "Batty"]}),
    (PersonaIntroduced(ANA, "#fff000"), {"type": "persona", "nick": "ana", "color": "#fff000"}),
    (ChannelEntered(HERE), {"type": "channelInfo", "channel": "#here"}),
    (DisplayCleared(6), {"type": "system", "text": "__clear__", "seq": 6}),
]


@pytest.mark.parametrize(("event", "frame"), CASES)
def test_an_event_is_the_frame_of_the_contract(event: Event, frame: dict[str, object]) -> None:
    assert json.loads(wire.encode(to_frame(event, "fr"))) == frame


def test_the_rooms_own_words_are_in_the_readers_language() -> None:
    joined = to_frame(MemberJoined(ANA, HERE), "en")
    assert isinstance(joined, wire.Join)
    assert joined.text != "ana a rejoint #here"
    cleared = to_frame(DisplayCleared(), "en")
    assert cleared == wire.System("__clear__")


def test_json_lines_are_one_a_line_whatever_is_said() -> None:
    events = [NoticeGiven(verbatim("a\nb\r\u2028\u0085")), DisplayCleared()]
    *lines, rest = b"".join(map(json_lines("fr"), events)).split(b"\n")
    assert not rest
    assert [json.loads(line)["text"] for line in lines] == ["a\nb\r\u2028\u0085", "__clear__"]


@pytest.mark.parametrize("size", [1, 125, 126, 65_535, 65_536, 200_000])
def test_websocket_frames_are_whole_frames_that_a_client_reads(size: int) -> None:
    events = [NoticeGiven(verbatim("é" * size)), DisplayCleared()]
    reader = StreamReader()
    reader.feed_data(b"".join(map(websocket_frames("fr"), events)))
    frames = [_parse(reader) for _ in events]
    assert [frame.opcode for frame in frames] == [Opcode.TEXT] * 2
    assert [json.loads(frame.data)["text"] for frame in frames] == ["é" * size, "__clear__"]


async def large_events(size: int) -> list[LargeEvent]:
    data, hostile = await to_base64(bytes(size)), Nick('a"Data":""')
    caption = verbatim('[Image generee: "Data":"" \\" \u2028" seed:1]')
    return [
        ImageShown(hostile, caption, data, "image/png", 7),
        MusicPlayed(hostile, caption, data, "audio/wav"),
    ]


def joined(payload: LargePayload) -> bytes:
    whole = b"".join(buffer for piece in payload.pieces for buffer in piece)
    assert len(whole) == payload.size_bytes
    return whole


@pytest.mark.parametrize("size", [0, 1, 90, PIECE_BYTES, PIECE_BYTES * 2 + 5])
async def test_a_large_message_in_fragments_says_what_one_frame_would(size: int) -> None:
    for event in await large_events(size):
        payload = websocket_frames("fr").large(event)
        reader = StreamReader()
        reader.feed_data(joined(payload))
        frames = [_parse(reader) for _ in payload.pieces]
        *others, last = frames
        assert frames[0].opcode == Opcode.TEXT
        assert {frame.opcode for frame in frames[1:]} == {Opcode.CONT}
        assert last.fin
        assert not any(frame.fin for frame in others)
        told = b"".join(frame.data for frame in frames)
        assert told == wire.encode(to_frame(event, "fr"))
        assert json_lines("fr")(event) == joined(json_lines("fr").large(event)) == told + b"\n"


def _parse(reader: StreamReader) -> WebSocketFrame:
    parsing = WebSocketFrame.parse(reader.read_exact, mask=False)
    with pytest.raises(StopIteration) as done:
        next(parsing)
    frame: WebSocketFrame = done.value.value
    return frame
