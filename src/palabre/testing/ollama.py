"""The simulated Ollama on a real socket, in the test's own loop."""

from contextlib import AbstractAsyncContextManager

from palabre.sim.ollama import Script, create_app, parse_script
from palabre.testing.serving import serving

FAST = Script(tokens_per_s=1_000_000, first_token_delay_s=0)
"""The default models; improvised answers as fast as they can be sent."""


def running(script: Script | str = FAST) -> AbstractAsyncContextManager[str]:
    """Serve *script* (or its TOML) on a free port of 127.0.0.1; yield the base URL.

    Calls that still run at the end are cut.
    """
    return serving(create_app(parse_script(script) if isinstance(script, str) else script))
