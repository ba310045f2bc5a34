"""The nodes that the simulated ComfyUI knows, as `/object_info` shows them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from palabre.sim.comfyui.script import Script
from palabre.sim.ledger import JsonObject

MOST = 0xFFFF_FFFF_FFFF_FFFF
SAMPLERS = ("euler", "euler_ancestral", "heun", "dpmpp_2m", "dpmpp_2m_sde", "lcm", "ddim", "uni_pc")
SCHEDULERS = ("simple", "sgm_uniform", "karras", "exponential", "ddim_uniform", "beta", "normal")


@dataclass(frozen=True, slots=True)
class Input:
    """One input: a type of link such as `MODEL`, a kind of value such as `INT`, or a choice."""

    kind: str
    choices: tuple[str, ...] | None = None
    limits: JsonObject = field(default_factory=dict)

    def as_json(self) -> list[object]:
        """Return it as `/object_info` shows it."""
        kind = self.kind if self.choices is None else list(self.choices)
        return [kind, dict(self.limits)] if self.limits else [kind]


@dataclass(frozen=True, slots=True)
class NodeClass:
    """One kind of node; `outputs` are the types of its links."""

    category: str
    required: Mapping[str, Input]
    outputs: tuple[str, ...] = ()
    is_output: bool = False
    samples: bool = False

    def as_json(self, name: str) -> JsonObject:
        """Return it as `/object_info` shows it."""
        inputs = {key: each.as_json() for key, each in self.required.items()}
        return {
            "input": {"required": inputs},
            "input_order": {"required": list(inputs)},
            "is_input_list": False,
            "output": list(self.outputs),
            "output_is_list": [False] * len(self.outputs),
            "output_name": list(self.outputs),
            "name": name,
            "display_name": name,
            "description": "",
            "python_module": "nodes",
            "category": self.category,
            "output_node": self.is_output,
        }


Catalogue = Mapping[str, NodeClass]

TEXT = Input("STRING", limits={"multiline": True})
NAME = Input("STRING", limits={"default": "ComfyUI"})
SEED = Input("INT", limits={"default": 0, "min": 0, "max": MOST})
STEPS = Input("INT", limits={"default": 20, "min": 1, "max": 10_000})
CFG = Input("FLOAT", limits={"default": 8.0, "min": 0.0, "max": 100.0})
SHARE = Input("FLOAT", limits={"default": 1.0, "min": 0.0, "max": 1.0})
STRENGTH = Input("FLOAT", limits={"default": 1.0, "min": -100.0, "max": 100.0})
SIDE = Input("INT", limits={"default": 512, "min": 16, "max": 16_384, "step": 8})
COUNT = Input("INT", limits={"default": 1, "min": 1, "max": 4096})
STEP = Input("INT", limits={"default": 0, "min": 0, "max": 10_000})
SWITCH = Input("CHOICE", ("enable", "disable"))


def catalogue(script: Script) -> Catalogue:
    """Return every node by its class, with the models of *script* as choices."""
    return {**_loaders(script), **_words(), **_latents(), **_sampling(), **_pictures()}


def _loaders(script: Script) -> Catalogue:
    encoder = Input("CHOICE", script.text_encoder)
    kind = Input("CHOICE", ("stable_diffusion", "sd3", "sdxl", "flux", "qwen_image"))
    lora = {"lora_name": Input("CHOICE", script.lora), **_strengths()}
    model, weights = Input("CHOICE", script.diffusion_model), Input("CHOICE", _WEIGHTS)
    two = {"clip_name1": encoder, "clip_name2": encoder, "type": kind}
    checkpoint = {"ckpt_name": Input("CHOICE", script.checkpoint)}
    return {
        "CheckpointLoaderSimple": NodeClass("loaders", checkpoint, ("MODEL", "CLIP", "VAE")),
        "UNETLoader": NodeClass(
            "loaders", {"unet_name": model, "weight_dtype": weights}, ("MODEL",)
        ),
        "CLIPLoader": NodeClass("loaders", {"clip_name": encoder, "type": kind}, ("CLIP",)),
        "DualCLIPLoader": NodeClass("loaders", two, ("CLIP",)),
        "VAELoader": NodeClass("loaders", {"vae_name": Input("CHOICE", script.vae)}, ("VAE",)),
        "LoraLoader": NodeClass("loaders", {**_links("model clip"), **lora}, ("MODEL", "CLIP")),
    }


_WEIGHTS = ("default", "fp8_e4m3fn", "fp8_e4m3fn_fast", "fp8_e5m2")


def _strengths() -> Mapping[str, Input]:
    return {"strength_model": STRENGTH, "strength_clip": STRENGTH}


def _words() -> Catalogue:
    conditioning = _links("conditioning")
    encode = {"text": TEXT, **_links("clip")}
    made = ("CONDITIONING",)
    return {
        "CLIPTextEncode": NodeClass("conditioning", encode, made),
        "FluxGuidance": NodeClass("conditioning", {**conditioning, "guidance": CFG}, made),
        "ConditioningZeroOut": NodeClass("conditioning", conditioning, made),
    }


def _latents() -> Catalogue:
    size = {"width": SIDE, "height": SIDE, "batch_size": COUNT}
    return {
        "EmptyLatentImage": NodeClass("latent", size, ("LATENT",)),
        "EmptySD3LatentImage": NodeClass("latent", size, ("LATENT",)),
    }


def _sampling() -> Catalogue:
    how = {"sampler_name": Input("CHOICE", SAMPLERS), "scheduler": Input("CHOICE", SCHEDULERS)}
    sides = {**_links("positive:CONDITIONING negative:CONDITIONING latent_image:LATENT")}
    plain = {**_links("model"), "seed": SEED, "steps": STEPS, "cfg": CFG, **how, **sides}
    noise = {**_links("model"), "add_noise": SWITCH, "noise_seed": SEED, "steps": STEPS}
    parts = {"start_at_step": STEP, "end_at_step": STEP, "return_with_leftover_noise": SWITCH}
    custom = _links("noise guider sampler sigmas latent_image:LATENT")
    schedule = {"scheduler": how["scheduler"], "steps": STEPS, "denoise": SHARE}
    only = {"sampler_name": how["sampler_name"]}
    category = "sampling/custom_sampling"
    return {
        "KSampler": NodeClass("sampling", {**plain, "denoise": SHARE}, ("LATENT",), samples=True),
        "KSamplerAdvanced": NodeClass(
            "sampling", {**noise, "cfg": CFG, **how, **sides, **parts}, ("LATENT",), samples=True
        ),
        "RandomNoise": NodeClass(category, {"noise_seed": SEED}, ("NOISE",)),
        "BasicGuider": NodeClass(category, _links("model conditioning"), ("GUIDER",)),
        "KSamplerSelect": NodeClass(category, only, ("SAMPLER",)),
        "BasicScheduler": NodeClass(category, {**_links("model"), **schedule}, ("SIGMAS",)),
        "SamplerCustomAdvanced": NodeClass(category, custom, ("LATENT", "LATENT"), samples=True),
    }


def _pictures() -> Catalogue:
    pictures = _links("images:IMAGE")
    decode = _links("samples:LATENT vae")
    named = {**pictures, "filename_prefix": NAME}
    return {
        "VAEDecode": NodeClass("latent", decode, ("IMAGE",)),
        "SaveImage": NodeClass("image", named, is_output=True),
        "PreviewImage": NodeClass("image", pictures, is_output=True),
        "SaveImageWebsocket": NodeClass("api/image", pictures, is_output=True),
    }


def _links(names: str) -> Mapping[str, Input]:
    """Return inputs that take links: `name:TYPE`, or `name` for those called like their type."""
    pairs = (name.partition(":") for name in names.split())
    return {name: Input(kind or name.upper()) for name, _, kind in pairs}
