"""The JSON objects of Ollama's HTTP API (its public API document; durations in nanoseconds)."""

import hashlib
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from palabre.sim.ledger import JsonObject
from palabre.sim.ollama.script import Model, with_tag

_UNITS = {"K": 10**3, "M": 10**6, "B": 10**9}


def timestamp(ahead: timedelta = timedelta()) -> str:
    """Return the time with nine digits of fraction, as Go writes it.

    A simulator stands for a program outside of ours, so it has the machine's own clock.
    """
    seconds, nanoseconds = divmod(time.time_ns(), 10**9)
    return f"{datetime.fromtimestamp(seconds, UTC) + ahead:%Y-%m-%dT%H:%M:%S}.{nanoseconds:09d}Z"


def piece(
    model: str,
    *,
    chat: bool,
    text: str = "",
    thinking: str = "",
    calls: Sequence[JsonObject] = (),
) -> dict[str, object]:
    """Return one line of a streamed answer; without texts, the head of its last line."""
    said: dict[str, object]
    if chat:
        extras = {"thinking": thinking, "tool_calls": calls}
        present = {name: value for name, value in extras.items() if value}
        said = {"message": {"role": "assistant", "content": text, **present}}
    else:
        said = {"response": text, **({"thinking": thinking} if thinking else {})}
    return {"model": model, "created_at": timestamp(), **said, "done": False}


def call(name: str, arguments: JsonObject) -> JsonObject:
    """Return an entry of a message's `tool_calls`."""
    return {"function": {"index": 0, "name": name, "arguments": arguments}}


def ending(reason: str, *, prompt_tokens: int, tokens: int, began_ns: int) -> dict[str, object]:
    """Return what the last line of an answer has besides a piece."""
    total_ns = max(1, time.monotonic_ns() - began_ns)
    return {
        "done": True,
        "done_reason": reason,
        "total_duration": total_ns,
        "load_duration": total_ns // 20,
        "prompt_eval_count": prompt_tokens,
        "prompt_eval_duration": total_ns // 10,
        "eval_count": tokens,
        "eval_duration": total_ns - total_ns // 20 - total_ns // 10,
    }


def tag(model: Model) -> dict[str, object]:
    """Return an entry of `/api/tags`."""
    return {**_identity(model), "modified_at": "2026-03-20T10:00:00.000000000Z"}


def loaded(model: Model) -> dict[str, object]:
    """Return an entry of `/api/ps`."""
    return {
        **_identity(model),
        "expires_at": timestamp(timedelta(minutes=30)),
        "size_vram": model.size_bytes,
        "context_length": model.context_tokens,
    }


def show(model: Model) -> JsonObject:
    """Return the answer of `/api/show`."""
    return {
        "modelfile": f"FROM {model.name}\n",
        "parameters": "",
        "template": "{{ .Prompt }}",
        "details": _details(model),
        "model_info": {
            "general.architecture": model.family,
            "general.parameter_count": round(
                float(model.parameters[:-1]) * _UNITS[model.parameters[-1]]
            ),
            f"{model.family}.context_length": model.context_tokens,
            f"{model.family}.embedding_length": model.embedding_dims,
        },
        "capabilities": list(model.capabilities),
        "modified_at": "2026-03-20T10:00:00.000000000Z",
    }


def _identity(model: Model) -> dict[str, object]:
    name = with_tag(model.name)
    return {
        "name": name,
        "model": name,
        "size": model.size_bytes,
        "digest": hashlib.sha256(name.encode()).hexdigest(),
        "details": _details(model),
    }


def _details(model: Model) -> JsonObject:
    return {
        "parent_model": "",
        "format": "gguf",
        "family": model.family,
        "families": [model.family],
        "parameter_size": model.parameters,
        "quantization_level": model.quantization,
    }
