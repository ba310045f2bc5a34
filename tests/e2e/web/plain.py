"""A client without a page, beside the browsers."""

import asyncio
import json

from tests.support.lasting_server import Server
from websockets.asyncio.client import ClientConnection, connect


def plain_client(server: Server, nick: str) -> connect:
    """A client without a page; it need not read what it is sent."""
    return connect(f"{server.socket_url}?nick={nick}", max_queue=None)


async def frames_until(peer: ClientConnection, last: dict[str, str]) -> list[dict]:
    """Read frames of a plain client until one that holds *last*."""
    frames: list[dict] = []
    async with asyncio.timeout(30):
        while not (frames and last.items() <= frames[-1].items()):
            frames.append(json.loads(await peer.recv()))
    return frames
