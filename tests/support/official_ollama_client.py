"""Everything that Ollama's own Python client can ask the server at argv[1]; prints JSON.

Runs in the environment of the peers, so it imports nothing of ours.
"""

import json
import sys
from collections.abc import Callable

import ollama

client = ollama.Client(host=sys.argv[1], trust_env=False)
MODEL = "qwen3:8b"
TOOLS = [{"type": "function", "function": {"name": "now", "description": "The time"}}]


def chat(words: str) -> list[ollama.ChatResponse]:
    messages = [{"role": "user", "content": words}]
    return list(client.chat(MODEL, messages, stream=True))


def refusal(call: Callable[[], object]) -> tuple[int, str]:
    try:
        call()
    except ollama.ResponseError as error:
        return error.status_code, error.error
    raise AssertionError("it did not fail")


listed = client.list().models
shown = client.show(MODEL)
answer = chat("Bonjour")
whole = client.chat(MODEL, [{"role": "user", "content": "Bonjour"}])
pulled = list(client.pull("neuf:1b", stream=True))
loaded = client.ps().models
vectors = client.embed("nomic-embed-text", ["bonjour", "bonjour", "adieu"])
cut = client.chat(MODEL, [{"role": "user", "content": "Bonjour"}], options={"num_predict": 4})
with_all = client.chat(
    MODEL,
    [
        {"role": "system", "content": "Tu es Batty."},
        {"role": "user", "content": "Quelle heure est-il ?", "images": [b"image"]},
        {"role": "assistant", "tool_calls": [{"function": {"name": "now", "arguments": {}}}]},
        {"role": "tool", "content": "midi", "tool_name": "now"},
    ],
    tools=TOOLS,
    format={"type": "object"},
    think=False,
    keep_alive="5m",
    options={"temperature": 0, "num_ctx": 4096, "stop": ["fin"]},
)
asking = list(
    client.chat(MODEL, [{"role": "user", "content": "horloge"}], tools=TOOLS, stream=True)
)
calls = [call.function for part in asking for call in part.message.tool_calls or ()]
generated = list(client.generate(MODEL, "Bonjour", stream=True))
unloaded = client.generate(MODEL, keep_alive=0)
left = client.ps().models

told = {
    "models": {each.model: [each.size, each.details.parameter_size] for each in listed},
    "dated": all(each.modified_at and each.modified_at.tzinfo for each in listed),
    "loaded": [each.model for each in loaded],
    "expires": all(each.expires_at and each.expires_at.tzinfo for each in loaded),
    "calls": [[call.name, dict(call.arguments)] for call in calls],
    "capabilities": shown.capabilities,
    "context": shown.modelinfo["qwen3.context_length"],
    "answer": [each.message.content for each in answer],
    "thoughts": "".join(each.message.thinking or "" for each in answer),
    "done": [answer[-1].done, answer[-1].done_reason],
    "counted": [answer[-1].prompt_eval_count, answer[-1].eval_count],
    "took": answer[-1].total_duration,
    "cut": [cut.done, cut.done_reason],
    "with_all": with_all.message.content,
    "unloaded": [unloaded.done_reason, [each.model for each in left]],
    "whole": whole.message.content,
    "generated": "".join(each.response for each in generated),
    "dims": [len(vector) for vector in vectors.embeddings],
    "same": vectors.embeddings[0] == vectors.embeddings[1] != vectors.embeddings[2],
    "pull": [each.status for each in pulled],
    "pulled": [[each.completed, each.total] for each in pulled if each.total],
    "has_pulled": "neuf:1b" in [each.model for each in client.list().models],
    "http": refusal(lambda: chat("panne")),
    "in_stream": refusal(lambda: chat("accident")),
    "unknown": refusal(lambda: client.show("personne")),
    "no_pull": refusal(lambda: list(client.pull("introuvable", stream=True))),
}
sys.stdout.write(json.dumps(told))
