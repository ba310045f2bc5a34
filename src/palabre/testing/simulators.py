"""Simulated peers on real sockets, in the test's own loop; each yields its base URL."""

from contextlib import AbstractAsyncContextManager

from palabre.sim.comfyui import script as comfyui_script
from palabre.sim.comfyui import server as comfyui_server
from palabre.sim.searxng import script as searxng_script
from palabre.sim.searxng import server as searxng_server
from palabre.sim.speech import script as speech_script
from palabre.sim.speech import server as speech_server
from palabre.testing.serving import serving


def searxng(source: str = "") -> AbstractAsyncContextManager[str]:
    """Serve a search engine that plays *source* (TOML)."""
    return serving(searxng_server.create_app(searxng_script.parse_script(source)))


def speech(source: str = "") -> AbstractAsyncContextManager[str]:
    """Serve a speech server that plays *source* (TOML)."""
    return serving(speech_server.create_app(speech_script.parse_script(source)))


def comfyui(source: str = "step_s = 0") -> AbstractAsyncContextManager[str]:
    """Serve a ComfyUI that plays *source* (TOML)."""
    return serving(comfyui_server.create_app(comfyui_script.parse_script(source)))
