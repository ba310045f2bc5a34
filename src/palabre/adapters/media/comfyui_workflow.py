"""What ComfyUI is asked to do: our own workflow, or the user's with the wish put into it."""

import asyncio
from pathlib import Path

import msgspec

from palabre.kernel.errors import SetupError

Json = dict[str, object]

SIZE_PX = 1024
STEPS, FLUX_STEPS = 4, 20
"""Steps of the sampler (facts of seed 000, 3.9); models of the Flux family need more."""

CFG = 1.0
"""What models that draw in four steps are made for, and Flux as well."""

PROMPT, SEED = "{prompt}", "{seed}"
MAX_WORKFLOW_BYTES = 4 * 1024 * 1024


class WorkflowUnusableError(SetupError):
    """The workflow in `data["path"]` cannot be used: `data["detail"]`."""

    code = "workflow_unusable"


def built_in(checkpoint: str, prompt: str, seed: int) -> Json:
    """Return the graph that draws *prompt* with *checkpoint*."""
    is_flux = "flux" in checkpoint.lower()
    return {
        "model": _node("CheckpointLoaderSimple", ckpt_name=checkpoint),
        "wish": _node("CLIPTextEncode", text=prompt, clip=["model", 1]),
        "nothing": _node("CLIPTextEncode", text="", clip=["model", 1]),
        "canvas": _node("EmptyLatentImage", width=SIZE_PX, height=SIZE_PX, batch_size=1),
        "sampler": _node(
            "KSampler",
            model=["model", 0],
            positive=["wish", 0],
            negative=["nothing", 0],
            latent_image=["canvas", 0],
            seed=seed,
            steps=FLUX_STEPS if is_flux else STEPS,
            cfg=CFG,
            sampler_name="euler",
            scheduler="simple" if is_flux else "sgm_uniform",
            denoise=1.0,
        ),
        "picture": _node("VAEDecode", samples=["sampler", 0], vae=["model", 2]),
        "file": _node("SaveImage", images=["picture", 0], filename_prefix="palabre"),
    }


def filled(workflow: Json, prompt: str, seed: int) -> Json:
    """Return *workflow* with *prompt* and *seed* in place of `{prompt}` and `{seed}`.

    A text that is `{seed}` and nothing else becomes a number.
    """
    return {name: _filled(value, prompt, seed) for name, value in workflow.items()}


async def read_workflow(path: Path) -> Json:
    """Return the workflow in *path*, in ComfyUI's API format.

    Raises:
        WorkflowUnusableError: It cannot be read, or is not in that format.
    """
    try:
        content = await asyncio.to_thread(_read, path)
        workflow = msgspec.json.decode(content, type=Json)
    except OSError as error:
        raise WorkflowUnusableError(path=str(path), detail=error.strerror or "") from error
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise WorkflowUnusableError(path=str(path), detail=str(error)) from error
    if not all(isinstance(each, dict) and "class_type" in each for each in workflow.values()):
        raise WorkflowUnusableError(path=str(path), detail="no API format")
    if not workflow or PROMPT.encode() not in content:
        raise WorkflowUnusableError(path=str(path), detail=f"no {PROMPT}")
    return workflow


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_WORKFLOW_BYTES)


def _node(class_type: str, **inputs: object) -> Json:
    return {"class_type": class_type, "inputs": inputs}


def _filled(value: object, prompt: str, seed: int) -> object:
    match value:
        case str():
            whole = value.strip() == SEED
            return seed if whole else value.replace(SEED, str(seed)).replace(PROMPT, prompt)
        case list():
            return [_filled(each, prompt, seed) for each in value]
        case dict():
            return {name: _filled(each, prompt, seed) for name, each in value.items()}
    return value
