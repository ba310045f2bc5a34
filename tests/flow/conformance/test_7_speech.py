"""Seed 000 §7 and the `audio` frame of §5.7: what personas say is heard."""

import asyncio
import base64

from tests.support.rooms import Client, Frame, house, is_final

from palabre.testing.models import Answer
from palabre.testing.speech import ScriptedSpeaker


async def sounds(client: Client, count: int) -> list[Frame]:
    heard: list[Frame] = []
    while len(heard) < count:
        heard.append(await client.until_type("audio"))
    return heard


async def test_each_sentence_is_broadcast_as_audio() -> None:
    """§5.7 — audio: { "type": "audio", "nick": "Schaeffer", "data": "<base64 WAV>", ... }"""
    speaker = ScriptedSpeaker()
    async with house("Écoutons le train. Puis le silence revient.", speaker=speaker) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Schaeffer ?")
        for client in (ana, bob):
            for frame in await sounds(client, 2):
                assert frame["nick"] == "Schaeffer"
                assert frame["mimeType"] == "audio/wav"
                assert base64.b64decode(frame["data"]).startswith(b"RIFF")
                assert frame["seq"] > 0
        assert [(voice.speaker, words) for words, voice in speaker.said] == [
            ("Schaeffer", "Écoutons le train."),
            ("Schaeffer", "Puis le silence revient."),
        ]


async def test_the_first_sentence_is_heard_while_the_answer_streams() -> None:
    """§5.7 — audio: le texte de la persona est decoupe en phrases"""
    gate = asyncio.Event()
    speaker = ScriptedSpeaker()
    speaker.gates["La suite attend."] = gate
    answer = Answer(("Écoutons le train. ", "La suite ", "attend."), delay_s=2)
    async with house(answer, speaker=speaker) as place:
        ana = await place.enter("ana")
        await ana.say("@Schaeffer ?")
        frames = await ana.until(lambda frame: frame["type"] == "audio")
        assert not [each for each in frames if is_final(each, "Schaeffer")]
        gate.set()


async def test_short_texts_are_not_spoken() -> None:
    """§7 — TTS: Textes de moins de 10 caracteres ignores"""
    speaker = ScriptedSpeaker()
    async with house("Bonjour !", speaker=speaker) as place:
        ana = await place.enter("ana")
        await ana.say("@Schaeffer ?")
        await ana.until(lambda frame: is_final(frame, "Schaeffer"))
        await ana.rest(0.1)
        assert speaker.said == []


async def test_a_failed_synthesis_leaves_the_text_alone() -> None:
    """§7 — TTS: Echec non-bloquant (la reponse texte est toujours envoyee)"""
    speaker = ScriptedSpeaker()
    speaker.failing.add("Écoutons le train.")
    async with house("Écoutons le train.", speaker=speaker) as place:
        ana = await place.enter("ana")
        await ana.say("@Schaeffer ?")
        final = (await ana.until(lambda frame: is_final(frame, "Schaeffer")))[-1]
        assert final["text"] == "Écoutons le train."
        assert not [each for each in await ana.rest(0.1) if each["type"] in {"audio", "system"}]


async def test_without_a_speaker_nothing_is_heard() -> None:
    """§5.7 — audio: Broadcast uniquement quand TTS_ENABLED=1"""
    async with house("Écoutons le train ensemble.") as place:
        ana = await place.enter("ana")
        await ana.say("@Schaeffer ?")
        frames = await ana.until(lambda frame: is_final(frame, "Schaeffer"))
        frames += await ana.rest(0.1)
        assert not [each for each in frames if each["type"] == "audio"]


async def test_stop_ends_what_is_still_being_said_aloud() -> None:
    """Decision — /stop also silences an answer whose text is whole already."""
    speaker = ScriptedSpeaker()
    speaker.gates["Puis le silence revient."] = asyncio.Event()
    answer = "Écoutons le train. Puis le silence revient. Et la fin."
    async with house(answer, speaker=speaker) as place:
        ana = await place.enter("ana")
        await ana.say("@Schaeffer ?")
        await ana.until_type("audio")
        stopped = await ana.answer("/stop")
        assert "Schaeffer" in stopped["text"]
        speaker.gates["Puis le silence revient."].set()
        assert not [each for each in await ana.rest(0.1) if each["type"] == "audio"]
        assert [words for words, _ in speaker.said] == ["Écoutons le train."]


async def test_an_answer_that_is_stopped_is_heard_no_further() -> None:
    """Decision — what /stop cuts short is silent at once."""
    speaker, gate = ScriptedSpeaker(), asyncio.Event()
    speaker.gates["Écoutons le train."] = gate
    answer = Answer(("Écoutons le train. ", "Puis ", "encore ", "du bruit."), delay_s=2)
    async with house(answer, speaker=speaker) as place:
        ana = await place.enter("ana")
        await ana.say("@Schaeffer ?")
        await ana.until_type("chunk")
        await ana.command("/stop")
        await ana.until_text("Schaeffer")
        gate.set()
        assert not [each for each in await ana.rest(0.15) if each["type"] == "audio"]
        assert speaker.said == []


async def test_the_end_of_the_program_does_not_wait_for_the_voice() -> None:
    """Decision — a narration under way does not hold the server back."""
    speaker = ScriptedSpeaker()
    speaker.gates["Écoutons le train."] = asyncio.Event()
    async with asyncio.timeout(30), house("Écoutons le train.", speaker=speaker) as place:
        ana = await place.enter("ana")
        await ana.say("@Schaeffer ?")
        await ana.until(lambda frame: is_final(frame, "Schaeffer"))
