"""image_generate: make a picture and show it to the channel (seed 000 §17)."""

from palabre.core.models.model import ToolSpec
from palabre.core.tools.model import Services, Tool, ToolUse
from palabre.core.web.hits import one_line
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
_SHOWN_CHARS = 200
_SHOWN = "L'image est faite, tout le canal la voit. Dis ce que tu as voulu montrer, en une phrase."

TIMEOUT_S = 120.0
"""A picture takes 10 to 30 seconds where there is a graphics card (seed 000 §13.2)."""


async def _run(use: ToolUse, services: Services) -> str:
    if services.show_picture is None:
        raise UpstreamError(detail="ComfyUI")
    await services.show_picture(use.words("prompt"), use.speaker, use.channel)
    return _SHOWN


def _about(use: ToolUse) -> Text:
    prompt = one_line(use.words("prompt"), _SHOWN_CHARS)
    return text("tool.image_generate.used", nick=use.speaker, prompt=prompt)


async def _why_not(services: Services) -> Text | None:
    return None if services.show_picture else text("tool.image_generate.no_service")


TOOL = Tool(_SPEC, _run, _about, _why_not, timeout_s=TIMEOUT_S)
