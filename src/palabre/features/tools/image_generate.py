"""image_generate: make a picture and show it to the channel (seed 000 §17)."""

from palabre.core.models.model import ToolSpec
from palabre.core.tools.model import Tool, ToolPorts, ToolUse
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import Text, text

_SPEC = ToolSpec(
    name="image_generate",
    description="Fabrique une image et la montre à tout le canal.",
    parameters="""{
  "type": "object",
  "properties": {"prompt": {"type": "string", "description": "Ce que l'image doit montrer."}},
  "required": ["prompt"]
}""",
)
_SHOWN = "L'image est faite, tout le canal la voit. Dis ce que tu as voulu montrer, en une phrase."

TIMEOUT_S = 120.0
"""A picture takes 10 to 30 seconds where there is a graphics card (seed 000 §13.2)."""


async def _run(use: ToolUse, ports: ToolPorts) -> str:
    if ports.show_picture is None:
        raise UpstreamError(detail="ComfyUI")
    await ports.show_picture(use.words("prompt"), use.speaker, use.channel)
    return _SHOWN


def _about(use: ToolUse) -> Text:
    return text("tool.image_generate.used", nick=use.speaker, prompt=use.shown("prompt"))


async def _why_not(ports: ToolPorts) -> Text | None:
    return None if ports.show_picture else text("tool.image_generate.no_service")


TOOL = Tool(_SPEC, _run, _about, _why_not, timeout_s=TIMEOUT_S)
