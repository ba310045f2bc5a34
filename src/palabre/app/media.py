"""Who makes pictures and music, and where they are kept, as the settings want it."""

import secrets

from palabre.adapters.media.comfyui import ComfyUIImageGenerator
from palabre.adapters.media.comfyui_workflow import read_workflow
from palabre.adapters.media.sidecar_composer import SidecarComposer
from palabre.adapters.web.gateway import HttpGateway
from palabre.app.settings import Settings
from palabre.core.chat.studio import MediaPorts
from palabre.core.media.ports import Composer, ImageGenerator, MediaStore


async def build_media(settings: Settings, store: MediaStore) -> MediaPorts:
    """Return who makes media, and *store*, which keeps them; nothing is contacted or made yet.

    Raises:
        WorkflowUnusableError: The user's own workflow cannot be used.
    """
    return MediaPorts(await _images(settings), _composer(settings), store)


async def _images(settings: Settings) -> ImageGenerator | None:
    media = settings.media
    if not media.comfyui_url:
        return None
    return ComfyUIImageGenerator(
        HttpGateway(trusted=[media.comfyui_url]),
        media.comfyui_url,
        secrets.randbits,
        checkpoint=media.checkpoint,
        workflow=await read_workflow(media.workflow) if media.workflow else None,
    )


def _composer(settings: Settings) -> Composer | None:
    url = settings.speech.url
    return SidecarComposer(HttpGateway(trusted=[url]), url) if url else None
