import io
from typing import Any

import pytest
from PIL import Image

from palabre.sim.comfyui.catalogue import catalogue
from palabre.sim.comfyui.graph import Graph, Node, order, validate, wish
from palabre.sim.comfyui.picture import HUGE_PX, Picture, huge
from palabre.sim.comfyui.queue import Prompt, PromptQueue
from palabre.sim.comfyui.script import Answer, Script, parse_script
from palabre.sim.script import ScriptError

CATALOGUE = catalogue(Script())


def graph(**changed: Any) -> Graph:
    """Return the usual graph; `_4={"seed": "x"}` changes inputs, `_4=None` takes a node away."""
    nodes = {
        "1": Node("CheckpointLoaderSimple", {"ckpt_name": Script().checkpoint[0]}),
        "2": Node("CLIPTextEncode", {"text": "un chat", "clip": ["1", 1]}),
        "3": Node("CLIPTextEncode", {"text": "flou", "clip": ["1", 1]}),
        "4": Node(
            "KSampler",
            {
                "seed": 7,
                "steps": 4,
                "cfg": 1.0,
                "sampler_name": "euler",
                "scheduler": "simple",
                "denoise": 1,
                "model": ["1", 0],
                "positive": ["2", 0],
                "negative": ["3", 0],
                "latent_image": ["5", 0],
            },
        ),
        "5": Node("EmptyLatentImage", {"width": 1024, "height": 768, "batch_size": 2}),
        "6": Node("VAEDecode", {"samples": ["4", 0], "vae": ["1", 2]}),
        "7": Node("SaveImage", {"images": ["6", 0], "filename_prefix": "palabre"}),
    }
    for name, inputs in changed.items():
        node = nodes.pop(name[1:])
        if inputs is not None:
            kept = {key: value for key, value in (node.inputs | inputs).items() if value != "gone"}
            nodes[name[1:]] = Node(node.class_type, kept)
    return nodes


def errors(given: Graph) -> dict[str, list[str]]:
    found: dict[str, Any] = dict(validate(given, CATALOGUE).node_errors)
    return {node: [each["type"] for each in told["errors"]] for node, told in found.items()}


def test_every_mistake_of_a_script_is_told_at_once() -> None:
    with pytest.raises(ScriptError) as caught:
        parse_script('step = 1\ncheckpoint = []\n[[answer]]\nerror = "explode"')
    told = "\n".join(caught.value.problems)
    assert "(perhaps step_s)" in told
    assert "checkpoint: " in told
    assert "answer[1].error: " in told


def test_the_usual_graph_can_run_and_tells_its_wish() -> None:
    verdict = validate(graph(), CATALOGUE)
    assert (verdict.outputs, verdict.error, verdict.node_errors) == (["7"], None, {})
    wanted = wish(graph(), "7")
    assert (wanted.seed, wanted.text, wanted.steps) == (7, "un chat", 4)
    assert (wanted.width, wanted.height, wanted.count) == (1024, 768, 2)


def test_numbers_may_be_written_as_texts() -> None:
    given = graph(_4={"seed": "9", "steps": "12"}, _5={"width": "64"})
    assert validate(given, CATALOGUE).error is None
    wanted = wish(given, "7")
    assert (wanted.seed, wanted.steps, wanted.width) == (9, 12, 64)


def test_nonsense_in_unknown_inputs_is_left_alone() -> None:
    given = graph(_4={"extra": ["99", 0]}, _6={"seed": "none"}, _7={"extra": ["7", 0]})
    assert validate(given, CATALOGUE).error is None
    assert sorted(order(given, ["7"])) == list("1234567")
    assert wish(given, "7").seed == 7


def test_sources_run_before_those_that_need_them() -> None:
    nodes = order(graph(), ["7"])
    assert sorted(nodes) == list("1234567")
    assert nodes.index("1") < nodes.index("2") < nodes.index("4") < nodes.index("6")
    assert nodes[-1] == "7"


def test_flux_graphs_of_many_small_nodes_can_run() -> None:
    script = Script()
    flux = {
        "1": Node(
            "UNETLoader", {"unet_name": script.diffusion_model[0], "weight_dtype": "default"}
        ),
        "2": Node(
            "DualCLIPLoader",
            {
                "clip_name1": script.text_encoder[0],
                "clip_name2": script.text_encoder[1],
                "type": "flux",
            },
        ),
        "3": Node("CLIPTextEncode", {"text": "la mer", "clip": ["2", 0]}),
        "4": Node("FluxGuidance", {"conditioning": ["3", 0], "guidance": 3.5}),
        "5": Node("BasicGuider", {"model": ["1", 0], "conditioning": ["4", 0]}),
        "6": Node("RandomNoise", {"noise_seed": 11}),
        "7": Node("KSamplerSelect", {"sampler_name": "euler"}),
        "8": Node(
            "BasicScheduler", {"model": ["1", 0], "scheduler": "simple", "steps": 20, "denoise": 1}
        ),
        "9": Node("EmptySD3LatentImage", {"width": 64, "height": 32, "batch_size": 1}),
        "10": Node(
            "SamplerCustomAdvanced",
            {
                "noise": ["6", 0],
                "guider": ["5", 0],
                "sampler": ["7", 0],
                "sigmas": ["8", 0],
                "latent_image": ["9", 0],
            },
        ),
        "11": Node("VAELoader", {"vae_name": script.vae[0]}),
        "12": Node("VAEDecode", {"samples": ["10", 0], "vae": ["11", 0]}),
        "13": Node("PreviewImage", {"images": ["12", 0]}),
    }
    assert validate(flux, CATALOGUE).outputs == ["13"]
    wanted = wish(flux, "13")
    assert (wanted.seed, wanted.text, wanted.steps) == (11, "la mer", 20)
    assert (wanted.width, wanted.height) == (64, 32)


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"_5": {"width": "gone"}}, {"5": ["required_input_missing"]}),
        ({"_5": {"width": 8}}, {"5": ["value_smaller_than_min"]}),
        ({"_5": {"height": 20_000}}, {"5": ["value_bigger_than_max"]}),
        ({"_4": {"sampler_name": "magic"}}, {"4": ["value_not_in_list"]}),
        ({"_1": {"ckpt_name": "none.ckpt"}}, {"1": ["value_not_in_list"]}),
        ({"_4": {"steps": "many"}}, {"4": ["invalid_input_type"]}),
        ({"_4": {"cfg": None}}, {"4": ["invalid_input_type"]}),
        ({"_4": {"model": ["1"]}}, {"4": ["bad_linked_input"]}),
        ({"_4": {"model": ["1", 1]}}, {"4": ["return_type_mismatch"]}),
        ({"_5": None}, {"4": ["exception_during_inner_validation"]}),
        ({"_6": None}, {"7": ["exception_during_validation"]}),
        ({"_4": {"model": ["1", 9]}}, {"4": ["exception_during_inner_validation"]}),
        ({"_4": {"latent_image": ["4", 0]}}, {"4": ["dependency_cycle"]}),
        (
            {"_5": {"width": 8, "height": "x"}, "_3": {"text": "gone"}},
            {
                "3": ["required_input_missing"],
                "5": ["value_smaller_than_min", "invalid_input_type"],
            },
        ),
    ],
)
def test_mistakes_are_told_at_the_node_that_has_them(
    changed: dict[str, Any], found: dict[str, list[str]]
) -> None:
    assert errors(graph(**changed)) == found
    error: Any = validate(graph(**changed), CATALOGUE).error
    assert error["type"] == "prompt_outputs_failed_validation"


def test_an_unknown_class_and_a_graph_without_outputs_are_told_as_a_whole() -> None:
    unknown: Any = validate({"9": Node("Magic", {})}, CATALOGUE).error
    assert (unknown["type"], unknown["extra_info"]["class_type"]) == ("missing_node_type", "Magic")
    nameless: Any = validate({"9": Node()}, CATALOGUE).error
    assert nameless["type"] == "missing_node_type"
    endless: Any = validate(graph(_7=None), CATALOGUE).error
    assert endless["type"] == "prompt_no_outputs"


def test_one_sound_output_is_enough_to_run() -> None:
    both = {**graph(), "8": Node("PreviewImage", {"images": ["6", 7]})}
    verdict = validate(both, CATALOGUE)
    assert (verdict.outputs, verdict.error) == (["7"], None)
    assert list(verdict.node_errors) == ["8"]


def test_equal_wishes_are_equal_pictures_and_others_differ() -> None:
    files = {Picture(seed, text, 96, 48, {}).png() for seed in (1, 2) for text in ("chat", "chien")}
    assert len(files) == 4
    assert Picture(1, "chat", 96, 48, {}).png() in files


@pytest.mark.parametrize(("width", "height"), [(1024, 1024), (16, 512), (640, 360)])
def test_a_picture_has_its_size_its_workflow_and_more_than_one_colour(
    width: int, height: int
) -> None:
    with Image.open(io.BytesIO(Picture(3, "x", width, height, {"1": 2}).png())) as image:
        assert (image.format, image.size) == ("PNG", (width, height))
        assert image.info["prompt"] == '{"1": 2}'
        assert len(image.resize((16, 16)).getcolors() or []) > 20


def test_the_huge_picture_is_small_as_a_file() -> None:
    file = huge()
    assert len(file) < 300_000
    assert int.from_bytes(file[16:20]) == HUGE_PX
    with pytest.raises(Image.DecompressionBombError):
        Image.open(io.BytesIO(file))


async def test_the_queue_runs_by_number_and_lets_waiting_prompts_be_dropped() -> None:
    lengths: list[int] = []
    queue = PromptQueue(lambda: lengths.append(queue.remaining()))
    for number, name in ((0, "a"), (1, "b"), (-2, "c")):
        queue.put(Prompt(number, name, {}, {}, {}, [], None, Answer()))
    first = await queue.take()
    queue.drop(["b"])
    assert first.prompt_id == "c"
    assert [each.prompt_id for each in queue.pending] == ["a"]
    queue.done(first, {})
    queue.drop(None)
    assert lengths == [1, 2, 3, 3, 2, 1, 0]
    assert list(queue.history) == ["c"]
