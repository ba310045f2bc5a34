"""The routes of the simulated Ollama."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from palabre.sim.ledger import JsonObject, Ledger, Outcome, Uses
from palabre.sim.ollama import shapes
from palabre.sim.ollama.demo import improvise
from palabre.sim.ollama.embedding import embed
from palabre.sim.ollama.ledger import OllamaCall
from palabre.sim.ollama.performance import Performance, words
from palabre.sim.ollama.schema import in_format
from palabre.sim.ollama.script import Answer, Fault, Model, Script, spoken, with_tag
from palabre.sim.ollama.stream import StreamResponse, at_once, cut, line, streamed

Endpoint = Callable[[Request], Awaitable[Response]]


class _Said(msgspec.Struct):
    role: str
    content: str = ""
    images: list[str] | None = None


class _Function(msgspec.Struct):
    name: str = ""


class _Tool(msgspec.Struct):
    function: _Function


class _Options(msgspec.Struct):
    num_predict: int = -1


class _Ask(msgspec.Struct):
    """The parts of all requests that matter here; the rest stands in the ledger."""

    model: str = ""
    name: str = ""
    messages: list[_Said] = msgspec.field(default_factory=list)
    prompt: str = ""
    system: str = ""
    input: str | list[str] = ""
    stream: bool = True
    think: bool | str | None = None
    tools: list[_Tool] | None = None
    format: str | dict[str, object] | None = None
    images: list[str] | None = None
    keep_alive: str | float | None = None
    options: _Options = msgspec.field(default_factory=_Options)

    def last(self, role: str) -> str:
        """Return what *role* said last."""
        return next((said.content for said in reversed(self.messages) if said.role == role), "")

    @property
    def shown(self) -> int:
        """How many pictures the user showed last."""
        of_users = (said.images for said in reversed(self.messages) if said.role == "user")
        return len(next(of_users, self.images) or ())

    def offers(self, tool: str) -> bool:
        """Say whether *tool* may be asked for now: it is declared, and has not answered yet."""
        answered = bool(self.messages) and self.messages[-1].role == "tool"
        return not answered and tool in {each.function.name for each in self.tools or ()}


class _RefusedError(Exception):
    """The request is wrong; the status and the words for it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


Handler = Callable[[OllamaCall, _Ask], Awaitable[Response]]


class OllamaServer:
    """What is installed, which rules are used up, and who asked what."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._installed = {with_tag(model.name): model for model in script.model}
        self._in_memory = {with_tag(model.name) for model in script.model if model.loaded}
        self._uses = Uses()
        self.ledger = Ledger()

    def endpoint(self, handler: Handler) -> Endpoint:
        """Wrap *handler*: read the body, note the call, answer mistakes as Ollama does."""

        async def answer(request: Request) -> Response:
            raw = await request.body()
            call = self.ledger.add(OllamaCall(request.method, request.url.path, _as_object(raw)))
            try:
                response = await handler(call, _parse(raw))
            except _RefusedError as error:
                call.outcome = Outcome.FAILED
                return JSONResponse({"error": str(error)}, error.status)
            if call.outcome is Outcome.RUNNING and not isinstance(response, StreamResponse):
                call.outcome = Outcome.ANSWERED
            return response

        return answer

    async def chat(self, call: OllamaCall, ask: _Ask) -> Response:
        """Answer `/api/chat`; without messages, load or unload the model."""
        model = self._model(ask.model)
        if not ask.messages:
            return self._load(model, ask, chat=True)
        return self._answer(call, ask, model, ask.last("system"), ask.last("user"), chat=True)

    async def generate(self, call: OllamaCall, ask: _Ask) -> Response:
        """Answer `/api/generate`; without a prompt, load or unload the model."""
        model = self._model(ask.model)
        if not ask.prompt:
            return self._load(model, ask, chat=False)
        return self._answer(call, ask, model, ask.system, ask.prompt, chat=False)

    async def embed(self, _call: OllamaCall, ask: _Ask) -> Response:
        """Answer `/api/embed`."""
        model = self._model(ask.model)
        began_ns = time.monotonic_ns()
        texts = [ask.input] if isinstance(ask.input, str) else ask.input
        vectors = [embed(text, model.embedding_dims) for text in texts]
        return JSONResponse(
            {
                "model": ask.model,
                "embeddings": vectors,
                "total_duration": time.monotonic_ns() - began_ns,
                "load_duration": 1_000_000,
                "prompt_eval_count": sum(len(words(text)) for text in texts),
            }
        )

    async def tags(self, _call: OllamaCall, _ask: _Ask) -> Response:
        """Answer `/api/tags`."""
        return JSONResponse({"models": [shapes.tag(model) for model in self._installed.values()]})

    async def ps(self, _call: OllamaCall, _ask: _Ask) -> Response:
        """Answer `/api/ps`."""
        running = [model for name, model in self._installed.items() if name in self._in_memory]
        return JSONResponse({"models": [shapes.loaded(model) for model in running]})

    async def show(self, _call: OllamaCall, ask: _Ask) -> Response:
        """Answer `/api/show`."""
        return JSONResponse(shapes.show(self._model(ask.model or ask.name)))

    async def version(self, _call: OllamaCall, _ask: _Ask) -> Response:
        """Answer `/api/version`."""
        return JSONResponse({"version": self._script.version})

    async def pull(self, call: OllamaCall, ask: _Ask) -> Response:
        """Answer `/api/pull`; the model is installed when the last line is sent."""
        name = with_tag(ask.model or ask.name)
        lines = [text async for text in self._pulled(call, name)] if not ask.stream else None
        if lines is None:
            return StreamResponse(call, self._pulled(call, name))
        return Response(lines[-1], media_type="application/json")

    async def _pulled(self, call: OllamaCall, name: str) -> AsyncGenerator[bytes]:
        pull = self._script.pull
        yield line({"status": "pulling manifest"})
        if name in map(with_tag, pull.unknown):
            call.outcome = Outcome.FAILED
            yield line({"error": "pull model manifest: file does not exist"})
            return
        tag = shapes.tag(self._installed.get(name, Model(name=name)))
        digest, total = f"sha256:{tag['digest']}", Model(name=name).size_bytes
        for step in range(1, pull.steps + 1):
            await asyncio.sleep(pull.duration_s / pull.steps)
            done = total * step // pull.steps
            status = f"pulling {digest[7:19]}"
            yield line({"status": status, "digest": digest, "total": total, "completed": done})
        yield line({"status": "verifying sha256 digest"})
        yield line({"status": "writing manifest"})
        self._installed.setdefault(name, Model(name=name))
        yield line({"status": "success"})

    def _model(self, asked: str) -> Model:
        if not asked:
            raise _RefusedError(400, "model is required")
        try:
            return self._installed[with_tag(asked)]
        except KeyError:
            raise _RefusedError(404, f"model '{asked}' not found") from None

    def _load(self, model: Model, ask: _Ask, *, chat: bool) -> Response:
        unload = ask.keep_alive in (0, "0", "0s")
        change = self._in_memory.discard if unload else self._in_memory.add
        change(with_tag(model.name))
        head = shapes.piece(ask.model, chat=chat)
        return JSONResponse(head | {"done_reason": "unload" if unload else "load", "done": True})

    def _answer(
        self, call: OllamaCall, ask: _Ask, model: Model, system: str, user: str, *, chat: bool
    ) -> Response:
        _refuse_tools(ask, model)
        call.images = ask.shown
        rule = self._rule(with_tag(model.name), ask, system, spoken(user))
        _refuse(rule, ask.model)
        self._in_memory.add(with_tag(model.name))
        performance = self._performance(call, ask, rule, system, user, chat=chat)
        split = rule.split or self._script.split
        if not ask.stream:
            return StreamResponse(call, at_once(performance), "application/json")
        return StreamResponse(call, cut(streamed(performance), split, self._script.seed))

    def _rule(self, model: str, ask: _Ask, system: str, user: str) -> Answer:
        rules = self._script.answer
        images, formatted = ask.shown > 0, bool(ask.format)
        fits = [
            rule.fits(model=model, system=system, user=user, images=images, formatted=formatted)
            for rule in rules
        ]
        return self._uses.take(rules, fits) or Answer()

    def _performance(
        self, call: OllamaCall, ask: _Ask, rule: Answer, system: str, user: str, *, chat: bool
    ) -> Performance:
        text = improvise(system, spoken(user)) if rule.text is None else rule.text
        text = in_format(text, ask.format)
        tool = rule.tool if rule.tool and ask.offers(rule.tool.name) else None
        tokens = words(text) if rule.tokens is None else rule.tokens
        delay_s = rule.first_token_delay_s
        limit = ask.options.num_predict
        return Performance(
            call=call,
            model=ask.model,
            chat=chat,
            thoughts=() if ask.think is False else words(rule.thinking),
            tokens=() if tool else tokens,
            calls=(shapes.call(tool.name, tool.arguments),) if tool else (),
            tokens_per_s=rule.tokens_per_s or self._script.tokens_per_s,
            first_token_delay_s=self._script.first_token_delay_s if delay_s is None else delay_s,
            prompt_tokens=len(words(system)) + len(words(user)),
            stamp=rule.stamp,
            limit=limit if limit >= 0 else None,
            fault=rule.error,
            after_tokens=rule.after_tokens,
            error=rule.message or "an error was encountered while running the model",
        )


def create_app(script: Script | None = None) -> Starlette:
    """Return the simulated Ollama as an ASGI application; `app.state.ollama` is its server."""
    server = OllamaServer(script or Script())
    post: dict[str, Handler] = {
        "/api/chat": server.chat,
        "/api/generate": server.generate,
        "/api/embed": server.embed,
        "/api/show": server.show,
        "/api/pull": server.pull,
    }
    get: dict[str, Handler] = {
        "/api/tags": server.tags,
        "/api/ps": server.ps,
        "/api/version": server.version,
    }
    routes = [
        Route(path, server.endpoint(handler), methods=["POST"]) for path, handler in post.items()
    ]
    routes += [
        Route(path, server.endpoint(handler), methods=["GET"]) for path, handler in get.items()
    ]
    routes.append(Route("/", _greet, methods=["GET"]))
    routes.append(server.ledger.route())
    app = Starlette(routes=routes)
    app.state.ollama = server
    return app


async def _greet(_request: Request) -> Response:
    return PlainTextResponse("Ollama is running")


def _refuse_tools(ask: _Ask, model: Model) -> None:
    if ask.tools and "tools" not in model.capabilities:
        message = f"registry.ollama.ai/library/{ask.model} does not support tools"
        raise _RefusedError(400, message)


def _refuse(rule: Answer, model: str) -> None:
    """Raise for the errors that come instead of an answer."""
    if rule.error is Fault.HTTP:
        raise _RefusedError(rule.status, rule.message or "llama runner process has terminated")
    if rule.error is Fault.LOADING:
        raise _RefusedError(503, rule.message or f"model '{model}' is loading, please try again")


def _as_object(raw: bytes) -> JsonObject:
    try:
        return msgspec.json.decode(raw, type=dict[str, object]) if raw else {}
    except (msgspec.DecodeError, UnicodeError):
        return {"unreadable": raw.decode(errors="replace")}


def _parse(raw: bytes) -> _Ask:
    try:
        return msgspec.json.decode(raw, type=_Ask) if raw else _Ask()
    except (msgspec.DecodeError, UnicodeError) as error:
        raise _RefusedError(400, str(error)) from error
