"""The simulated Ollama on a real socket, in the test's own loop."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from palabre.sim.ollama import Script, create_app, parse_script

FAST = Script(tokens_per_s=1_000_000, first_token_delay_s=0)
"""The default models; improvised answers as fast as they can be sent."""


@asynccontextmanager
async def running(script: Script | str = FAST) -> AsyncIterator[str]:
    """Serve *script* (or its TOML) on a free port of 127.0.0.1; yield the base URL.

    Calls that still run at the end are cut.
    """
    app = create_app(parse_script(script) if isinstance(script, str) else script)
    config = uvicorn.Config(
        app, log_level="critical", lifespan="off", ws="none", timeout_graceful_shutdown=0
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        await server.startup(sockets=[listener])
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            await server.shutdown(sockets=[listener])
