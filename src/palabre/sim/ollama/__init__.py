"""A scripted Ollama: its HTTP API with answers, paces and failures of your choice."""

from palabre.sim.ollama.script import Script, parse_script
from palabre.sim.ollama.server import create_app
from palabre.sim.script import ScriptError

__all__ = ["Script", "ScriptError", "create_app", "parse_script"]
