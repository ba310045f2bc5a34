"""The routes of the simulated ComfyUI; each is there below `/api` as well."""

import asyncio
import secrets
import sys
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from palabre.sim.comfyui.catalogue import catalogue
from palabre.sim.comfyui.execution import Execution
from palabre.sim.comfyui.gallery import FOLDERS, Gallery, Place
from palabre.sim.comfyui.graph import Graph, Node, problem, validate, wish
from palabre.sim.comfyui.hub import Hub, Message
from palabre.sim.comfyui.queue import Prompt, PromptQueue
from palabre.sim.comfyui.script import Answer, Fault, Script
from palabre.sim.endpoint import RefusedError, routes
from palabre.sim.ledger import Call, JsonObject, Ledger, Uses

RAM_BYTES, VRAM_BYTES = 32 << 30, 12 << 30


class ComfyServer:
    """The queue, the pictures, the listeners, and who asked what."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._catalogue = catalogue(script)
        self._uses = Uses()
        self._hub = Hub()
        self._gallery = Gallery(script.heavy_bytes)
        self._queue = PromptQueue(self._tell_length)
        self._next_number = 0
        self._execution: Execution | None = None
        self.ledger = Ledger()

    async def work(self) -> None:
        """Run one prompt after the other, for ever."""
        while True:
            prompt = await self._queue.take()
            pace_s = prompt.rule.step_s
            self._execution = execution = Execution(
                prompt=prompt,
                catalogue=self._catalogue,
                hub=self._hub,
                gallery=self._gallery,
                interrupted=self._queue.interrupted,
                step_s=self._script.step_s if pace_s is None else pace_s,
                largest_px=self._script.largest_px,
            )
            self._queue.done(prompt, await execution.run())
            self._execution = None
            if prompt.client is not None:
                end = {"node": None, "prompt_id": prompt.prompt_id}
                self._hub.send("executing", end, prompt.client)

    async def listen(self, socket: WebSocket) -> None:
        """Answer `/ws`."""
        sid = socket.query_params.get("clientId") or secrets.token_hex(16)
        greeting: list[Message] = [("status", {**self._status(), "sid": sid})]
        running = self._execution
        if running is not None and running.prompt.client == sid and running.current:
            greeting.append(("executing", {"node": running.current}))
        await self._hub.serve(socket, sid, greeting)

    async def prompt(self, _request: Request, call: Call) -> Response:
        """Answer `POST /prompt`: a place in the queue, or what is wrong with the graph."""
        graph = _graph(call.body)
        prompt_id = _prompt_id(call.body.get("prompt_id"))
        verdict = validate(graph, self._catalogue)
        if verdict.error is not None:
            raise _invalid(verdict.error, verdict.node_errors)
        rule = self._rule(graph, verdict.outputs)
        client = call.body.get("client_id")
        extra = call.body.get("extra_data")
        prompt = Prompt(
            number=self._number(call.body),
            prompt_id=prompt_id,
            graph=graph,
            source=_object(call.body["prompt"]),
            extra=_extra(_object(extra), client),
            outputs=verdict.outputs,
            client=client if isinstance(client, str) else None,
            rule=rule,
        )
        self._queue.put(prompt)
        place = {"prompt_id": prompt_id, "number": prompt.number}
        return JSONResponse({**place, "node_errors": verdict.node_errors})

    async def length(self, _request: Request, _call: Call) -> Response:
        """Answer `GET /prompt`."""
        return JSONResponse(self._status()["status"])

    async def queue(self, _request: Request, _call: Call) -> Response:
        """Answer `GET /queue`."""
        return JSONResponse(self._queue.as_json())

    async def edit_queue(self, _request: Request, call: Call) -> Response:
        """Answer `POST /queue`."""
        if call.body.get("clear"):
            self._queue.drop(None)
        self._queue.drop(_names(call.body, "delete"))
        return Response()

    async def interrupt(self, _request: Request, call: Call) -> Response:
        """Answer `POST /interrupt`."""
        prompt_id = call.body.get("prompt_id")
        self._queue.interrupt(prompt_id if isinstance(prompt_id, str) and prompt_id else None)
        return Response()

    async def history(self, request: Request, _call: Call) -> Response:
        """Answer `GET /history`, the newest last."""
        most = request.query_params.get("max_items", "")
        kept = list(self._queue.history.items())
        return JSONResponse(dict(kept[-int(most) :] if most.isdigit() and int(most) else kept))

    async def result(self, request: Request, _call: Call) -> Response:
        """Answer `GET /history/{prompt_id}`: nothing while it waits or runs."""
        prompt_id = request.path_params["prompt_id"]
        kept = self._queue.history.get(prompt_id)
        return JSONResponse({} if kept is None else {prompt_id: kept})

    async def edit_history(self, _request: Request, call: Call) -> Response:
        """Answer `POST /history`."""
        if call.body.get("clear"):
            self._queue.forget(None)
        self._queue.forget(_names(call.body, "delete"))
        return Response()

    async def view(self, request: Request, _call: Call) -> Response:
        """Answer `GET /view`."""
        asked = request.query_params
        filename, folder = asked.get("filename", ""), asked.get("type", "output")
        if filename.startswith("/") or ".." in filename or folder not in FOLDERS:
            raise RefusedError(Response(status_code=400))
        if ".." in asked.get("subfolder", ""):
            raise RefusedError(Response(status_code=403))
        return await self._gallery.view(Place(filename, asked.get("subfolder", ""), folder))

    async def object_info(self, request: Request, _call: Call) -> Response:
        """Answer `GET /object_info`, for one class or for all."""
        name = request.path_params.get("node_class")
        known = {each: node.as_json(each) for each, node in self._catalogue.items()}
        chosen = known if name is None else {each: known[each] for each in known if each == name}
        return JSONResponse(chosen)

    async def system_stats(self, _request: Request, _call: Call) -> Response:
        """Answer `GET /system_stats`."""
        return JSONResponse(_stats(self._script.version))

    async def models(self, request: Request, _call: Call) -> Response:
        """Answer `GET /models`, the folders, and `GET /models/{folder}`, what is in one."""
        folders = {
            "checkpoints": self._script.checkpoint,
            "diffusion_models": self._script.diffusion_model,
            "text_encoders": self._script.text_encoder,
            "vae": self._script.vae,
            "loras": self._script.lora,
        }
        folder = request.path_params.get("folder")
        if folder is None:
            return JSONResponse(list(folders))
        return JSONResponse(folders[folder]) if folder in folders else Response(status_code=404)

    async def free(self, _request: Request, _call: Call) -> Response:
        """Answer `POST /free`."""
        return Response()

    async def root(self, _request: Request, _call: Call) -> Response:
        """Answer `/`."""
        return HTMLResponse("<!DOCTYPE html><html><title>ComfyUI</title></html>")

    def _rule(self, graph: Graph, outputs: list[str]) -> Answer:
        text = wish(graph, outputs[0]).text
        rules = self._script.answer
        rule = self._uses.take(rules, [rule.fits(text) for rule in rules]) or Answer()
        if rule.error is Fault.HTTP:
            raise RefusedError(PlainTextResponse(_TROUBLE, rule.status))
        return rule

    def _number(self, body: JsonObject) -> float:
        asked = body.get("number")
        if isinstance(asked, int | float):
            return float(asked)
        number = self._next_number
        self._next_number += 1
        return -number if body.get("front") else number

    def _status(self) -> dict[str, JsonObject]:
        return {"status": {"exec_info": {"queue_remaining": self._queue.remaining()}}}

    def _tell_length(self) -> None:
        self._hub.send("status", self._status(), None)


def create_app(script: Script | None = None) -> Starlette:
    """Return the simulated ComfyUI as an ASGI application; its lifespan runs the prompts."""
    server = ComfyServer(script or Script())
    table = [
        ("GET", "/", server.root),
        ("POST", "/prompt", server.prompt),
        ("GET", "/prompt", server.length),
        ("GET", "/queue", server.queue),
        ("POST", "/queue", server.edit_queue),
        ("POST", "/interrupt", server.interrupt),
        ("GET", "/history", server.history),
        ("POST", "/history", server.edit_history),
        ("GET", "/history/{prompt_id}", server.result),
        ("GET", "/view", server.view),
        ("GET", "/object_info", server.object_info),
        ("GET", "/object_info/{node_class}", server.object_info),
        ("GET", "/system_stats", server.system_stats),
        ("GET", "/models", server.models),
        ("GET", "/models/{folder}", server.models),
        ("POST", "/free", server.free),
    ]
    sockets = [WebSocketRoute(f"{prefix}/ws", server.listen) for prefix in ("", "/api")]
    found = routes(server.ledger, table, ("", "/api"))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as group:
            working = group.create_task(server.work())
            yield
            working.cancel()

    return Starlette(routes=[*sockets, *found, server.ledger.route()], lifespan=lifespan)


_TROUBLE = "500 Internal Server Error\n\nServer got itself in trouble"


def _graph(body: JsonObject) -> Graph:
    if "unreadable" in body:
        raise RefusedError(PlainTextResponse(_TROUBLE, 500))
    if "prompt" not in body:
        raise _invalid(problem("no_prompt", "No prompt provided", "No prompt provided"), {})
    try:
        return msgspec.convert(body["prompt"], dict[str, Node])
    except msgspec.ValidationError as error:
        raise RefusedError(PlainTextResponse(_TROUBLE, 500)) from error


def _prompt_id(asked: object) -> str:
    if asked is None:
        return str(uuid.UUID(bytes=secrets.token_bytes(16), version=4))
    try:
        found = str(uuid.UUID(str(asked)))
    except ValueError:
        found = ""
    if found != asked:
        details = "prompt_id must be a UUID string in canonical lowercase hyphenated form"
        raise _invalid(problem("invalid_prompt_id", "prompt_id must be a valid UUID", details), {})
    return found


def _invalid(error: JsonObject, node_errors: JsonObject) -> RefusedError:
    return RefusedError(JSONResponse({"error": error, "node_errors": node_errors}, 400))


def _extra(given: JsonObject, client: object) -> JsonObject:
    known = {} if client is None else {"client_id": client}
    return {**given, **known, "create_time": time.time_ns() // 1_000_000}


def _object(given: object) -> JsonObject:
    return given if isinstance(given, dict) else {}


def _names(body: JsonObject, key: str) -> list[str]:
    names = body.get(key)
    return [str(name) for name in names] if isinstance(names, list) else []


def _stats(version: str) -> JsonObject:
    device = {
        "name": "cuda:0 Simulated GPU : cudaMallocAsync",
        "type": "cuda",
        "index": 0,
        "vram_total": VRAM_BYTES,
        "vram_free": VRAM_BYTES * 3 // 4,
        "torch_vram_total": 0,
        "torch_vram_free": 0,
    }
    system = {
        "os": sys.platform,
        "ram_total": RAM_BYTES,
        "ram_free": RAM_BYTES // 2,
        "comfyui_version": version,
        "python_version": sys.version,
        "pytorch_version": "2.9.1",
        "embedded_python": False,
        "argv": ["main.py"],
    }
    return {"system": system, "devices": [device]}
