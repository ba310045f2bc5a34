"""Who makes and keeps media, as the settings want it."""

import json
from pathlib import Path

import pytest

from palabre.adapters.media.comfyui_workflow import WorkflowUnusableError
from palabre.app.media import build_media
from palabre.app.settings import Settings
from palabre.testing.media import MemoryMediaStore

GRAPH = {"a": {"class_type": "CLIPTextEncode", "inputs": {"text": "{prompt}"}}}


async def test_nobody_makes_anything_unless_the_owner_says_who(tmp_path: Path) -> None:
    store = MemoryMediaStore()
    media = await build_media(Settings(data_dir=tmp_path), store)
    assert (media.images, media.composer, media.store) == (None, None, store)


async def test_who_is_configured_is_there(tmp_path: Path) -> None:
    workflow = tmp_path / "workflow.json"
    workflow.write_text(json.dumps(GRAPH))
    settings = Settings(
        data_dir=tmp_path,
        media={"comfyui_url": "http://127.0.0.1:8188", "workflow": workflow},
        speech={"url": "http://127.0.0.1:9100"},
    )
    media = await build_media(settings, MemoryMediaStore())
    assert media.images is not None
    assert media.composer is not None


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"nodes": [], "links": []}', json.dumps(GRAPH).replace("{prompt}", "x")],
)
async def test_a_workflow_that_cannot_work_is_told_at_the_start(
    tmp_path: Path, content: str
) -> None:
    workflow = tmp_path / "workflow.json"
    workflow.write_text(content)
    settings = Settings(
        data_dir=tmp_path, media={"comfyui_url": "http://127.0.0.1:8188", "workflow": workflow}
    )
    with pytest.raises(WorkflowUnusableError):
        await build_media(settings, MemoryMediaStore())


async def test_a_workflow_that_is_not_there_is_told_at_the_start(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path,
        media={"comfyui_url": "http://127.0.0.1:8188", "workflow": tmp_path / "absent.json"},
    )
    with pytest.raises(WorkflowUnusableError):
        await build_media(settings, MemoryMediaStore())
