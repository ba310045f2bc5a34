"""How one prompt runs: node by node, step by step, told on `/ws` and kept in the history."""

import asyncio
import time
from dataclasses import dataclass, field

from palabre.sim.comfyui.catalogue import Catalogue
from palabre.sim.comfyui.gallery import Gallery
from palabre.sim.comfyui.graph import Wish, order, wish
from palabre.sim.comfyui.hub import Hub
from palabre.sim.comfyui.picture import Picture
from palabre.sim.comfyui.queue import Prompt
from palabre.sim.comfyui.script import Fault
from palabre.sim.ledger import JsonObject


class InterruptedByUserError(Exception):
    """Somebody asked `/interrupt`."""


class SamplerError(Exception):
    """The sampler fails, with these words."""


@dataclass(slots=True)
class Execution:
    """A prompt that runs; *interrupted* is set to stop it.

    Attributes:
        step_s: Time for one step of the sampler.
        largest_px: Pixels over which the sampler runs out of memory.
        current: The node that runs; None before the first.
    """

    prompt: Prompt
    catalogue: Catalogue
    hub: Hub
    gallery: Gallery
    interrupted: asyncio.Event
    step_s: float
    largest_px: int
    current: str | None = None
    executed: list[str] = field(default_factory=list)
    messages: list[list[object]] = field(default_factory=list)
    outputs: dict[str, JsonObject] = field(default_factory=dict)

    async def run(self) -> JsonObject:
        """Run it to its end; return what the history keeps of it."""
        self._tell("execution_start", {})
        self._tell("execution_cached", {"nodes": []})
        for node_id in order(self.prompt.graph, self.prompt.outputs):
            if not await self._succeeds(node_id):
                return self._result("error", completed=False)
            self.executed.append(node_id)
        self._tell("execution_success", {})
        return self._result("success", completed=True)

    async def _succeeds(self, node_id: str) -> bool:
        where = {
            "node_id": node_id,
            "node_type": self.prompt.graph[node_id].class_type,
            "executed": list(self.executed),
        }
        try:
            await self._node(node_id)
        except InterruptedByUserError:
            self._tell("execution_interrupted", where, everybody=True)
        except SamplerError as error:
            self._tell("execution_error", {**where, **self._failure(error)})
        else:
            return True
        return False

    def _failure(self, error: SamplerError) -> JsonObject:
        return {
            "exception_message": f"{error}\n",
            "exception_type": "torch.OutOfMemoryError",
            "traceback": ['  File "execution.py", line 1, in execute\n'],
            "current_inputs": {},
            "current_outputs": list(self.executed),
        }

    async def _node(self, node_id: str) -> None:
        shown = {"node": node_id, "display_node": node_id, "prompt_id": self.prompt.prompt_id}
        self.current = node_id
        self._send("executing", shown)
        await self._pause(0)
        kind = self.catalogue[str(self.prompt.graph[node_id].class_type)]
        if kind.samples:
            await self._sample(node_id)
        elif kind.is_output:
            self.outputs[node_id] = await self._save(node_id)
            self._send("executed", {**shown, "output": self.outputs[node_id]})

    async def _sample(self, node_id: str) -> None:
        wanted = self._wish(node_id)
        for step in range(1, wanted.steps + 1):
            if step > wanted.steps // 2:
                await self._fail()
            await self._pause(self.step_s)
            self._progress(node_id, step, wanted.steps)

    def _wish(self, node_id: str) -> Wish:
        wanted = wish(self.prompt.graph, node_id)
        if wanted.width * wanted.height > self.largest_px:
            raise SamplerError(self.prompt.rule.message)
        return wanted

    async def _fail(self) -> None:
        if self.prompt.rule.error is Fault.EXECUTION:
            raise SamplerError(self.prompt.rule.message)
        if self.prompt.rule.error is Fault.HANG:
            await self._pause(None)

    def _progress(self, node_id: str, value: int, most: int) -> None:
        about = {"value": value, "max": most, "prompt_id": self.prompt.prompt_id}
        state = {
            **about,
            "state": "finished" if value == most else "running",
            "node_id": node_id,
            "display_node_id": node_id,
            "parent_node_id": None,
            "real_node_id": node_id,
        }
        states = {"prompt_id": self.prompt.prompt_id, "nodes": {node_id: state}}
        self._send("progress_state", states)
        self._send("progress", {**about, "node": node_id})

    async def _save(self, node_id: str) -> JsonObject:
        node = self.prompt.graph[node_id]
        pictures = self._pictures(self._wish(node_id))
        if node.class_type == "SaveImageWebsocket":
            for picture in pictures:
                self.hub.show(await asyncio.to_thread(picture.png), self.prompt.client)
            return {"images": []}
        preview = node.class_type == "PreviewImage"
        prefix = "ComfyUI_temp" if preview else str(node.inputs["filename_prefix"])
        folder, fault = "temp" if preview else "output", self.prompt.rule.error
        places = [self.gallery.save(picture, prefix, folder, fault) for picture in pictures]
        return {"images": [place.as_json() for place in places]}

    def _pictures(self, wanted: Wish) -> list[Picture]:
        size = (wanted.width, wanted.height)
        return [
            Picture(wanted.seed + number, wanted.text, *size, self.prompt.source)
            for number in range(wanted.count)
        ]

    async def _pause(self, time_s: float | None) -> None:
        """Wait, unless somebody interrupts; None waits for nothing else."""
        try:
            async with asyncio.timeout(time_s):
                await self.interrupted.wait()
        except TimeoutError:
            return
        raise InterruptedByUserError

    def _tell(self, event: str, data: JsonObject, *, everybody: bool = False) -> None:
        """Send a message that the history keeps as well."""
        now_ms = time.time_ns() // 1_000_000
        told = {"prompt_id": self.prompt.prompt_id, **data, "timestamp": now_ms}
        self.messages.append([event, told])
        if everybody:
            self.hub.send(event, told, None)
        else:
            self._send(event, told)

    def _send(self, event: str, data: JsonObject) -> None:
        if self.prompt.client is not None:
            self.hub.send(event, data, self.prompt.client)

    def _result(self, status: str, *, completed: bool) -> JsonObject:
        told = {"status_str": status, "completed": completed, "messages": self.messages}
        meta = {
            node_id: {
                "node_id": node_id,
                "display_node": node_id,
                "parent_node": None,
                "real_node_id": node_id,
            }
            for node_id in self.outputs
        }
        return {"outputs": self.outputs, "status": told, "meta": meta}
