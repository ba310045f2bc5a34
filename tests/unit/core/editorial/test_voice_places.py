"""Recordings lie by their personas' nicks."""

import pytest
from tests.support.editorial import ANNE, Room, editorial_room

from palabre.core.editorial.errors import SampleNameSharedError
from palabre.core.editorial.traits import Traits


@pytest.fixture
def room() -> Room:
    return editorial_room()


async def create(room: Room, name: str) -> str:
    return (await room.desk.create(ANNE, Traits(name=name), default_model="m")).id


async def test_the_recording_follows_a_new_name(room: Room) -> None:
    await room.recordings.put(ANNE, "batty", b"RIFF")
    await room.desk.update(ANNE, "batty", Traits(name="Roy Batty"))
    assert await room.recordings.find("batty") == "voice-samples/roy_batty.wav"
    await room.desk.revert(ANNE, "batty")
    assert await room.recordings.find("batty") == "voice-samples/batty.wav"


async def test_a_new_name_takes_nobody_elses_recording_away(room: Room) -> None:
    room.voices.path = lambda nick: f"voice-samples/{nick.lower()[:3]}.wav"  # type: ignore[method-assign]
    await room.recordings.put(ANNE, "batty", b"RIFF batty")
    await room.recordings.put(ANNE, "isa", b"RIFF isa")
    with pytest.raises(SampleNameSharedError):
        await room.desk.update(ANNE, "isa", Traits(name="Bathory"))
    assert sorted(room.voices.recordings.values()) == [b"RIFF batty", b"RIFF isa"]


async def test_who_shares_the_place_of_a_recording_leaves_it_there(room: Room) -> None:
    room.voices.path = lambda nick: f"voice-samples/{nick.lower()[:3]}.wav"  # type: ignore[method-assign]
    ada = await create(room, "Bathory")
    await room.desk.update(ANNE, "batty", Traits(name="Zed"))
    await room.recordings.put(ANNE, ada, b"RIFF ada")
    await create(room, "Batiste")
    await room.desk.update(ANNE, ada, Traits(name="Ada"))
    assert room.voices.recordings == {"voice-samples/bat.wav": b"RIFF ada"}
