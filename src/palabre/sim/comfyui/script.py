"""What the simulated ComfyUI has and how it fails, written as TOML. See `docs/simulators.md`."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from palabre.sim.script import Table, read_script


class Fault(StrEnum):
    """How a prompt fails."""

    HTTP = "http"
    """A status (500 unless the rule says otherwise) instead of a place in the queue."""
    EXECUTION = "execution"
    """The sampler raises half-way: `execution_error`."""
    HANG = "hang"
    """The sampler stops half-way, until somebody interrupts it."""
    CUT = "cut"
    """Half of the picture, then the connection closes."""
    NOT_A_PICTURE = "not_a_picture"
    """A page under the name of a picture."""
    HUGE = "huge"
    """A small file of 30 000 x 30 000 pixels."""
    HEAVY = "heavy"
    """A picture followed by bytes up to `heavy_bytes`."""


Names = Annotated[tuple[str, ...], Field(min_length=1)]


class Answer(Table):
    """One rule; the first that fits a prompt, and is not used up, says how it goes.

    Attributes:
        when: Part of the positive text, letters' case aside; None fits all.
        step_s: Time for one step of the sampler; None takes the script's.
        error: How it fails.
        status: HTTP status of `http`.
        message: Words of `execution`.
        times: How often it is used; None is for ever.
    """

    when: str | None = None
    step_s: Annotated[float, Field(ge=0)] | None = None
    error: Fault | None = None
    status: Annotated[int, Field(ge=400, le=599)] = 500
    message: str = "Allocation on device 0 would exceed allowed memory. (out of memory)"
    times: Annotated[int, Field(gt=0)] | None = None

    def fits(self, text: str) -> bool:
        """Say whether this rule is for a picture of *text*."""
        return self.when is None or self.when.casefold() in text.casefold()


class Script(Table):
    """A whole simulated ComfyUI.

    Attributes:
        step_s: Time for one step of the sampler.
        version: What `/system_stats` says.
        checkpoint: Names of the installed checkpoints; so of the next ones.
        largest_px: Pixels over which the sampler runs out of memory.
        heavy_bytes: Size of the pictures that are too large.
        answer: The rules.
    """

    step_s: Annotated[float, Field(ge=0)] = 0.25
    version: str = "0.3.76"
    checkpoint: Names = ("v1-5-pruned-emaonly-fp16.safetensors", "sd_xl_base_1.0.safetensors")
    diffusion_model: Names = ("flux1-schnell.safetensors", "flux1-dev.safetensors")
    text_encoder: Names = ("clip_l.safetensors", "t5xxl_fp8_e4m3fn.safetensors")
    vae: Names = ("ae.safetensors",)
    lora: Names = ("detail.safetensors",)
    largest_px: Annotated[int, Field(gt=0)] = 4096 * 4096
    heavy_bytes: Annotated[int, Field(gt=0)] = 64 << 20
    answer: tuple[Answer, ...] = ()


def parse_script(source: str) -> Script:
    """Read a script.

    Raises:
        ScriptError: *source* is not TOML, or has mistakes; all of them are told.
    """
    return read_script(source, Script)
