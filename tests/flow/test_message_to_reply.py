"""A message travels from a frame to a persona's reply, and back to every client."""

from tests.support.rooms import house


async def test_a_message_gets_a_streamed_reply_that_everybody_sees() -> None:
    async with house("<think>hm</think>Xena", "ignored") as place:
        one, two = await place.enter("ana"), await place.enter("bob")
        await one.say("Bonjour @Schaeffer, que penses-tu de Xenakis ?")
        seen = await one.until(lambda f: f["type"] == "message" and f["nick"] == "Schaeffer")
        assert [frame["type"] for frame in seen[-4:]] == ["message", "system", "chunk", "message"]
        assert seen[-1]["text"] == "Xena"
        other = await two.until(lambda f: f["type"] == "message" and f["nick"] == "Schaeffer")
        assert other[-4:] == seen[-4:]
