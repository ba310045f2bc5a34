"""The client that the protocol's page shows."""

import asyncio
import re
import sys
from pathlib import Path

from tests.support.rooms import house

PAGE = Path(__file__).parents[2] / "docs" / "protocol" / "rooms.md"


async def test_the_client_of_the_page_asks_and_prints_the_answer() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    async with house("Je compose.") as place:
        bob = await place.enter("bob")
        await bob.say("Avant")
        await bob.until_text("Avant")
        here = program.replace("ws://127.0.0.1:3333", place.url)
        client = await asyncio.create_subprocess_exec(
            sys.executable, "-c", here, stdout=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(30):
            told, _ = await client.communicate()
    assert told.decode().splitlines() == [
        "ana: Bonjour @Schaeffer, qui es-tu ?",
        "Schaeffer: Je compose.",
    ]
    assert client.returncode == 0
