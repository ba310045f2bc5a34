"""WAV files that servers send as music."""

import struct

import pytest

from palabre.adapters.media.sidecar_composer import checked_wav
from palabre.core.media.errors import MusicLengthError, NotMusicError
from palabre.testing.media import a_wav


def test_a_right_wav_stays_as_it_is() -> None:
    content = a_wav(5)
    assert checked_wav(content, 5) is content


@pytest.mark.parametrize("unknown", [0, 0xFFFF_FFFF, 0x7FFF_FFFF])
def test_sizes_that_were_not_known_are_mended(unknown: int) -> None:
    content = bytearray(a_wav(5))
    content[40:44] = struct.pack("<I", unknown)
    assert checked_wav(bytes(content), 5) == a_wav(5)


@pytest.mark.parametrize("size", [0, 11, 12, 40, 44, 1000])
def test_what_is_cut_is_no_music(size: int) -> None:
    with pytest.raises((NotMusicError, MusicLengthError)):
        checked_wav(a_wav(5)[:size], 5)


@pytest.mark.parametrize(
    "content",
    [
        b"<!DOCTYPE html>",
        b"RIFF\0\0\0\0WAVE" + b"junk\0\0\0\0" * 100_000,
        b"RIFF\0\0\0\0WAVEdata\xff\0\0\0" + bytes(255),
    ],
)
def test_other_files_are_no_music(content: bytes) -> None:
    with pytest.raises(NotMusicError):
        checked_wav(content, 5)


@pytest.mark.parametrize("length_s", [0.1, 200])
def test_quite_another_length_is_told(length_s: float) -> None:
    with pytest.raises(MusicLengthError) as caught:
        checked_wav(a_wav(length_s), 5)
    assert caught.value.data["length_s"] == length_s
