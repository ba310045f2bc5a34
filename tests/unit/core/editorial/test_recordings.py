"""Recordings that personas sound like."""

import pytest
from tests.support.editorial import ANNE, Room, editorial_room

from palabre.core.editorial.errors import (
    PersonaNotFoundError,
    SampleNameSharedError,
    SampleNotFoundError,
    SampleTooLargeError,
    SampleUnfitError,
)
from palabre.core.editorial.recordings import MAX_SAMPLE_BYTES
from palabre.core.editorial.traits import Traits

WAV = b"RIFF...."


@pytest.fixture
def room() -> Room:
    return editorial_room()


async def test_a_recording_is_kept_found_and_removed(room: Room) -> None:
    assert await room.recordings.find("batty") is None
    assert await room.recordings.put(ANNE, "batty", WAV) == "voice-samples/batty.wav"
    assert await room.recordings.find("batty") == "voice-samples/batty.wav"
    await room.recordings.remove(ANNE, "batty")
    assert await room.recordings.find("batty") is None
    with pytest.raises(SampleNotFoundError):
        await room.recordings.remove(ANNE, "batty")
    actions = [each.action for each in room.ledger.book]
    assert actions == ["persona.voice_sample", "persona.voice_sample_removed"]
    assert room.ledger.book[0].after == '{"bytes":8}'


async def test_exactly_ten_megabytes_are_taken_and_a_byte_more_is_not(room: Room) -> None:
    largest = WAV.ljust(MAX_SAMPLE_BYTES, b".")
    await room.recordings.put(ANNE, "batty", largest)
    with pytest.raises(SampleTooLargeError):
        await room.recordings.put(ANNE, "isa", largest + b".")
    assert await room.recordings.find("isa") is None


async def test_what_is_no_wav_leaves_the_one_before(room: Room) -> None:
    await room.recordings.put(ANNE, "batty", WAV)
    with pytest.raises(SampleUnfitError) as refused:
        await room.recordings.put(ANNE, "batty", b"MP3")
    assert refused.value.data["detail"] == "no RIFF header"
    assert room.voices.recordings == {"voice-samples/batty.wav": WAV}


async def test_two_personas_never_share_a_file(room: Room) -> None:
    room.voices.path = lambda nick: f"voice-samples/{nick.lower()[:3]}.wav"  # type: ignore[method-assign]
    await room.desk.create(ANNE, Traits(name="Battue"), default_model="m")
    with pytest.raises(SampleNameSharedError):
        await room.recordings.put(ANNE, "batty", WAV)


async def test_nobody_sounds_who_is_not_there(room: Room) -> None:
    with pytest.raises(PersonaNotFoundError):
        await room.recordings.put(ANNE, "nobody", WAV)
