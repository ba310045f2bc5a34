"""The simulated ComfyUI against the routes and messages of its server, over a socket."""

import asyncio
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from PIL import Image
from websockets.asyncio.client import ClientConnection, connect

from palabre.testing.simulators import comfyui

FAST = "step_s = 0\n"
SLOW = "step_s = 10\n"
UUID = "0b0e3c4e-9f0a-4c5e-8f7e-1d2c3b4a5f60"


def graph(**changed: object) -> dict[str, Any]:
    sampler = {"seed": 7, "steps": 4, "cfg": 1, "sampler_name": "euler", "scheduler": "simple"}
    sides = {"positive": ["2", 0], "negative": ["3", 0], "latent_image": ["5", 0]}
    inputs: dict[str, tuple[str, dict[str, object]]] = {
        "1": (
            "CheckpointLoaderSimple",
            {"ckpt_name": "v1-5-pruned-emaonly-fp16.safetensors"},
        ),
        "2": ("CLIPTextEncode", {"text": "un chat", "clip": ["1", 1]}),
        "3": ("CLIPTextEncode", {"text": "", "clip": ["1", 1]}),
        "4": ("KSampler", {**sampler, **sides, "denoise": 1, "model": ["1", 0]}),
        "5": ("EmptyLatentImage", {"width": 128, "height": 64, "batch_size": 1}),
        "6": ("VAEDecode", {"samples": ["4", 0], "vae": ["1", 2]}),
        "7": ("SaveImage", {"images": ["6", 0], "filename_prefix": "salon/palabre"}),
    }
    for _, of in inputs.values():
        of.update({key: value for key, value in changed.items() if key in of})
    return {key: {"class_type": kind, "inputs": of} for key, (kind, of) in inputs.items()}


@asynccontextmanager
async def running(script: str = FAST) -> AsyncIterator[httpx2.AsyncClient]:
    async with comfyui(script) as url, httpx2.AsyncClient(base_url=url) as client:
        yield client


async def ask(client: httpx2.AsyncClient, nodes: object = None, **more: object) -> str:
    response = await client.post("/prompt", json={"prompt": nodes or graph(), **more})
    assert response.status_code == 200, response.text
    prompt_id: str = response.json()["prompt_id"]
    return prompt_id


async def done(client: httpx2.AsyncClient, prompt_id: str) -> dict[str, Any]:
    deadline = asyncio.get_running_loop().time() + 30
    while not (history := (await client.get(f"/history/{prompt_id}")).json()):
        assert asyncio.get_running_loop().time() < deadline
    kept: dict[str, Any] = history[prompt_id]
    return kept


async def shown(client: httpx2.AsyncClient, kept: dict[str, Any]) -> httpx2.Response:
    (place,) = kept["outputs"]["7"]["images"]
    return await client.get("/view", params=place)


@asynccontextmanager
async def listening(client: httpx2.AsyncClient, sid: str) -> AsyncIterator[ClientConnection]:
    url = str(client.base_url).replace("http", "ws", 1).rstrip("/")
    async with connect(f"{url}/ws?clientId={sid}", proxy=None) as socket:
        yield socket


async def until(socket: ClientConnection, kind: str) -> list[dict[str, Any]]:
    """Return the messages up to the first of *kind*."""
    heard: list[dict[str, Any]] = []
    async with asyncio.timeout(30):
        while not heard or heard[-1]["type"] != kind:
            heard.append(json.loads(await socket.recv()))
    return heard


async def test_a_prompt_is_queued_run_and_kept_with_its_picture() -> None:
    async with running() as client:
        answer = await client.post("/prompt", json={"prompt": graph(), "client_id": "anna"})
        assert answer.json() == {
            "prompt_id": answer.json()["prompt_id"],
            "number": 0,
            "node_errors": {},
        }
        kept = await done(client, answer.json()["prompt_id"])
        picture = await shown(client, kept)
    number, prompt_id, nodes, extra, outputs = kept["prompt"]
    assert (number, prompt_id, nodes, outputs) == (0, answer.json()["prompt_id"], graph(), ["7"])
    assert extra["client_id"] == "anna"
    assert kept["outputs"] == {
        "7": {
            "images": [{"filename": "palabre_00001_.png", "subfolder": "salon", "type": "output"}]
        }
    }
    status = kept["status"]
    assert (status["status_str"], status["completed"]) == ("success", True)
    told = [name for name, _ in status["messages"]]
    assert told == ["execution_start", "execution_cached", "execution_success"]
    assert picture.headers["content-type"] == "image/png"
    assert picture.headers["content-disposition"] == 'filename="palabre_00001_.png"'
    with Image.open(io.BytesIO(picture.content)) as image:
        assert (image.format, image.size) == ("PNG", (128, 64))


async def test_equal_requests_give_equal_pictures_and_other_seeds_others() -> None:
    async with running() as client:
        nodes = [graph(), graph(), graph(seed=8)]
        kept = [await done(client, await ask(client, each)) for each in nodes]
        first, second, third = [(await shown(client, each)).content for each in kept]
    assert first == second != third


async def test_all_messages_come_in_comfyuis_order() -> None:
    async with running() as client, listening(client, "anna") as socket:
        assert json.loads(await socket.recv()) == {
            "type": "status",
            "data": {"status": {"exec_info": {"queue_remaining": 0}}, "sid": "anna"},
        }
        prompt_id = await ask(client, client_id="anna")
        heard = await until(socket, "execution_success")
        heard += [json.loads(await socket.recv()) for _ in range(2)]
    kinds = [each["type"] for each in heard if each["type"] != "progress_state"]
    assert kinds == [
        *("status", "status", "execution_start", "execution_cached"),
        *["executing"] * 5,
        *["progress"] * 4,
        *("executing", "executing", "executed", "execution_success", "status", "executing"),
    ]
    progress = [each["data"] for each in heard if each["type"] == "progress"]
    assert progress == [
        {"value": step, "max": 4, "prompt_id": prompt_id, "node": "4"} for step in (1, 2, 3, 4)
    ]
    executed = next(each["data"] for each in heard if each["type"] == "executed")
    assert executed.keys() == {"node", "display_node", "output", "prompt_id"}
    assert heard[-1]["data"] == {"node": None, "prompt_id": prompt_id}


async def test_messages_go_to_who_asked_and_the_length_of_the_queue_to_all() -> None:
    async with running() as client, listening(client, "berta") as socket:
        await done(client, await ask(client, client_id="anna"))
        heard = [json.loads(await socket.recv()) for _ in range(4)]
    assert [each["type"] for each in heard] == ["status"] * 4
    lengths = [each["data"]["status"]["exec_info"]["queue_remaining"] for each in heard]
    assert lengths == [0, 1, 1, 0]


async def test_one_prompt_runs_at_a_time_and_waiting_ones_can_be_deleted() -> None:
    async with running(SLOW) as client:
        first, second, third = [await ask(client) for _ in range(3)]
        urgent = await ask(client, front=True)
        queue = (await client.get("/queue")).json()
        assert [each[1] for each in queue["queue_running"]] == [first]
        assert [each[1] for each in queue["queue_pending"]] == [urgent, second, third]
        assert (await client.get("/prompt")).json() == {"exec_info": {"queue_remaining": 4}}
        deleted = await client.post("/queue", json={"delete": [second, "unknown"]})
        assert (deleted.status_code, deleted.content) == (200, b"")
        assert len((await client.get("/queue")).json()["queue_pending"]) == 2
        await client.post("/queue", json={"clear": True})
        assert (await client.get("/queue")).json()["queue_pending"] == []
        assert (await client.get(f"/history/{first}")).json() == {}


async def test_interrupt_stops_what_runs_and_the_next_one_follows() -> None:
    async with running(SLOW) as client, listening(client, "anna") as socket:
        first = await ask(client, client_id="anna")
        second = await ask(client)
        await until(socket, "executing")
        await client.post("/interrupt", json={"prompt_id": second})
        assert (await client.get(f"/history/{first}")).json() == {}
        await client.post("/interrupt")
        *_, interrupted = await until(socket, "execution_interrupted")
        kept = await done(client, first)
        assert (await client.get("/queue")).json()["queue_running"][0][1] == second
    assert interrupted["data"].keys() == {
        "prompt_id",
        "node_id",
        "node_type",
        "executed",
        "timestamp",
    }
    assert interrupted["data"]["node_type"] in {"KSampler", "CheckpointLoaderSimple"}
    assert (kept["status"]["status_str"], kept["status"]["completed"]) == ("error", False)
    assert kept["outputs"] == {}


async def test_a_listener_that_comes_late_is_told_which_node_runs() -> None:
    async with running(SLOW) as client:
        async with listening(client, "anna") as socket:
            await ask(client, client_id="anna")
            while (await until(socket, "executing"))[-1]["data"]["node"] != "4":
                pass
        async with listening(client, "anna") as socket:
            status, executing = [json.loads(await socket.recv()) for _ in range(2)]
    assert status["data"]["status"]["exec_info"]["queue_remaining"] == 1
    assert executing == {"type": "executing", "data": {"node": "4"}}


@pytest.mark.parametrize(
    ("body", "kind", "nodes"),
    [
        ({}, "no_prompt", []),
        ({"prompt": {}}, "prompt_no_outputs", []),
        ({"prompt": {"1": {"class_type": "Magic", "inputs": {}}}}, "missing_node_type", []),
        ({"prompt": graph(width=8)}, "prompt_outputs_failed_validation", ["5"]),
        ({"prompt": graph(vae=["99", 0])}, "prompt_outputs_failed_validation", ["6"]),
        ({"prompt": graph(), "prompt_id": "mine"}, "invalid_prompt_id", []),
    ],
)
async def test_invalid_prompts_are_refused_as_comfyui_does(
    body: dict[str, object], kind: str, nodes: list[str]
) -> None:
    async with running() as client:
        response = await client.post("/prompt", json=body)
    assert response.status_code == 400
    error = response.json()["error"]
    assert error.keys() == {"type", "message", "details", "extra_info"}
    assert error["type"] == kind
    assert list(response.json()["node_errors"]) == nodes
    for told in response.json()["node_errors"].values():
        assert told.keys() == {"errors", "dependent_outputs", "class_type"}
        assert told["dependent_outputs"] == ["7"]


@pytest.mark.parametrize("content", [b"{", b'{"prompt": []}', b"[]"])
async def test_what_is_no_graph_at_all_is_the_servers_own_trouble(content: bytes) -> None:
    async with running() as client:
        assert (await client.post("/prompt", content=content)).status_code == 500


async def test_a_prompt_keeps_the_id_that_it_was_given() -> None:
    async with running() as client:
        assert await ask(client, prompt_id=UUID) == UUID
        assert (await done(client, UUID))["prompt"][1] == UUID


async def test_history_is_listed_and_can_be_forgotten() -> None:
    async with running() as client:
        prompts = [await ask(client) for _ in range(3)]
        await done(client, prompts[-1])
        assert list((await client.get("/history")).json()) == prompts
        newest = (await client.get("/history", params={"max_items": 1})).json()
        assert list(newest) == prompts[-1:]
        await client.post("/history", json={"delete": prompts[:1]})
        assert list((await client.get("/history")).json()) == prompts[1:]
        await client.post("/history", json={"clear": True})
        assert (await client.get("/history")).json() == {}


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ({}, 404),
        ({"filename": "none.png"}, 404),
        ({"filename": "../x"}, 400),
        ({"filename": "/etc/passwd"}, 400),
        ({"filename": "x.png", "type": "secrets"}, 400),
        ({"filename": "x.png", "subfolder": "../.."}, 403),
    ],
)
async def test_pictures_that_are_not_there_have_their_statuses(
    params: dict[str, str], status: int
) -> None:
    async with running() as client:
        assert (await client.get("/view", params=params)).status_code == status


async def test_the_machine_its_nodes_and_its_models_are_told() -> None:
    async with running() as client:
        stats = (await client.get("/system_stats")).json()
        nodes = (await client.get("/object_info")).json()
        one = (await client.get("/object_info/KSampler")).json()
        none = (await client.get("/object_info/Magic")).json()
        folders = (await client.get("/models")).json()
        vae = (await client.get("/models/vae")).json()
    assert {"os", "comfyui_version", "python_version"} <= stats["system"].keys()
    assert {"name", "type", "vram_total", "vram_free"} <= stats["devices"][0].keys()
    assert one == {"KSampler": nodes["KSampler"]}
    seed = one["KSampler"]["input"]["required"]["seed"]
    assert seed == ["INT", {"default": 0, "min": 0, "max": 2**64 - 1}]
    assert one["KSampler"]["input"]["required"]["sampler_name"][0][0] == "euler"
    assert nodes["SaveImage"]["output_node"] is True
    assert none == {}
    assert "checkpoints" in folders
    assert vae == ["ae.safetensors"]


async def test_every_route_is_there_below_api_as_well() -> None:
    async with running() as client:
        answer = await client.post("/api/prompt", json={"prompt": graph()})
        await done(client, answer.json()["prompt_id"])
        assert (await client.get("/api/queue")).json() == {"queue_running": [], "queue_pending": []}


async def test_pictures_for_the_websocket_come_as_binary_frames() -> None:
    nodes = graph() | {"7": {"class_type": "SaveImageWebsocket", "inputs": {"images": ["6", 0]}}}
    async with running() as client, listening(client, "anna") as socket:
        await ask(client, nodes, client_id="anna")
        async with asyncio.timeout(30):
            while isinstance(frame := await socket.recv(), str):
                pass
    assert frame[:8] == b"\x00\x00\x00\x01\x00\x00\x00\x02"
    assert frame[8:16] == b"\x89PNG\r\n\x1a\n"


async def test_http_refuses_the_prompt_as_often_as_wanted() -> None:
    script = FAST + '[[answer]]\nerror = "http"\nstatus = 503\ntimes = 1'
    async with running(script) as client:
        answers = [await client.post("/prompt", json={"prompt": graph()}) for _ in range(2)]
        ledger = (await client.get("/sim/requests")).json()
    assert [answer.status_code for answer in answers] == [503, 200]
    assert [call["outcome"] for call in ledger["requests"]] == ["failed", "answered"]
    assert ledger["requests"][0]["body"] == {"prompt": graph()}


async def test_execution_fails_in_the_sampler_and_is_kept_in_the_history() -> None:
    script = FAST + '[[answer]]\nwhen = "CHAT"\nerror = "execution"\nmessage = "trop petit"'
    async with running(script) as client, listening(client, "anna") as socket:
        prompt_id = await ask(client, client_id="anna")
        *before, failed = await until(socket, "execution_error")
        kept = await done(client, prompt_id)
        other = await done(client, await ask(client, graph(text="un chien")))
    assert [each["type"] for each in before].count("progress") == 2
    assert failed["data"]["exception_message"] == "trop petit\n"
    assert (failed["data"]["node_id"], failed["data"]["node_type"]) == ("4", "KSampler")
    assert kept["status"]["messages"][-1] == ["execution_error", failed["data"]]
    assert kept["status"]["status_str"] == "error"
    assert other["status"]["status_str"] == "success"


async def test_a_picture_that_is_larger_than_the_memory_fails() -> None:
    async with running(FAST + "largest_px = 8000") as client:
        kept = await done(client, await ask(client))
    assert "out of memory" in kept["status"]["messages"][-1][1]["exception_message"]


async def test_hang_stays_in_the_middle_until_it_is_interrupted() -> None:
    async with running(FAST + '[[answer]]\nerror = "hang"') as client:
        async with listening(client, "anna") as socket:
            prompt_id = await ask(client, client_id="anna")
            while (await until(socket, "progress"))[-1]["data"]["value"] != 2:
                pass
            await asyncio.sleep(0.1)
            assert (await client.get(f"/history/{prompt_id}")).json() == {}
        await client.post("/interrupt")
        assert (await done(client, prompt_id))["status"]["status_str"] == "error"


async def test_what_is_shown_may_be_no_picture_or_too_large_a_one() -> None:
    script = (
        FAST
        + "heavy_bytes = 500000\n"
        + "".join(
            f'[[answer]]\nerror = "{error}"\ntimes = 1\n'
            for error in ("not_a_picture", "huge", "heavy")
        )
    )
    async with running(script) as client:
        kept = [await done(client, await ask(client)) for _ in range(3)]
        page, huge, heavy = [await shown(client, each) for each in kept]
    assert page.headers["content-type"] == "image/png"
    assert page.content.startswith(b"<!DOCTYPE html>")
    assert (huge.content[16:20], len(huge.content) < 300_000) == (b"\x00\x00\x75\x30", True)
    assert len(heavy.content) == 500_000
    assert heavy.content.startswith(b"\x89PNG")


async def test_cut_closes_the_connection_in_the_middle_of_the_picture() -> None:
    async with running(FAST + '[[answer]]\nerror = "cut"') as client:
        kept = await done(client, await ask(client))
        with pytest.raises(httpx2.RemoteProtocolError):
            await shown(client, kept)


async def test_steps_keep_their_pace() -> None:
    loop = asyncio.get_running_loop()
    async with running("step_s = 0.05") as client:
        began = loop.time()
        await done(client, await ask(client))
        assert 0.2 <= loop.time() - began < 20
