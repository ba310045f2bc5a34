"""How a file is got out of a frame; forms are tested in tests/flow/test_http_uploads.py."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.surfaces.rooms.sent_file import PIECE_CHARS, SentFile, from_frame
from palabre.wire import rooms as wire


@given(st.binary(max_size=200))
def test_the_bytes_are_those_that_were_sent(content: bytes) -> None:
    for encoded in (base64.b64encode(content), base64.urlsafe_b64encode(content)):
        frame = wire.SendUpload("a.txt", data=encoded.decode())
        assert from_frame(frame) == SentFile("a.txt", content)


@pytest.mark.parametrize(
    ("data", "content"),
    [("Ym9uam91cg", b"bonjour"), ("Ym9u\nam91cg==\n", b"bonjour"), ("", b""), ("é!", b"")],
)
def test_sloppy_base64_is_read_as_far_as_it_goes(data: str, content: bytes) -> None:
    assert from_frame(wire.SendUpload(data=data)) == SentFile("", content)


def test_a_frame_without_data_holds_an_empty_file() -> None:
    assert from_frame(wire.SendUpload()) == SentFile("", b"")


@given(st.integers(0, 9), st.integers(1, 50))
def test_pieces_are_joined_wherever_they_are_parted(odd: int, every: int) -> None:
    content = bytes(range(256)) * (3 * PIECE_CHARS // 1024) + bytes(odd)
    data = base64.b64encode(content).decode()
    broken = "\n".join(
        data[start : start + 997 * every] for start in range(0, len(data), 997 * every)
    )
    for sent in (data, broken, data.rstrip("="), f"{data}AAAA" if data.endswith("=") else data):
        assert from_frame(wire.SendUpload("a", data=sent)).content == content
