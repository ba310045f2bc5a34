"""First sound: from the end of an answer's first sentence to the frame that says it."""

import asyncio
import json
import shutil
import time
from statistics import median

from websockets.asyncio.client import ClientConnection, connect

from bench.load import NotMeasuredError
from bench.plan import Plan
from bench.relay import PERSONA
from bench.rows import Row

ROUNDS = 8
BUDGET_MS = 350.0
WITHIN_S = 20.0
SENTENCE = "Écoute le train qui passe sous la fenêtre."
SCRIPT = f"""
tokens_per_s = 20
[[answer]]
text = "{SENTENCE} Puis le silence revient, et avec lui tout ce qui n'était pas entendu. La nuit."
"""
SETTINGS = {"TTS_ENABLED": "1", "PALABRE_SPEECH__ENGINE": "espeak"}


def measure(plan: Plan) -> list[Row]:
    """Let the simulated Ollama answer and espeak-ng speak, again and again."""
    if shutil.which("espeak-ng") is None:
        raise NotMeasuredError("espeak-ng", "it is not installed")
    with (
        plan.ollama(SCRIPT) as ollama_port,
        plan.server(persona=PERSONA, ollama_port=ollama_port, settings=SETTINGS) as target,
    ):
        delays_ms = asyncio.run(_listen(plan, target.port))
    note = f"after the first sentence; {ROUNDS} answers, 20 tokens/s, espeak-ng"
    return [
        Row("first sound: median", median(delays_ms), "ms", BUDGET_MS, note=note),
        Row("first sound: longest", max(delays_ms), "ms", BUDGET_MS),
    ]


async def _listen(plan: Plan, port: int) -> list[float]:
    delays_ms: list[float] = []
    async with connect(f"ws://127.0.0.1:{port}/ws?nick=bench", max_size=2**26) as connection:
        for turn in range(ROUNDS):
            plan.tell(f"first sound, answer {turn + 1} of {ROUNDS}")
            async with asyncio.timeout(WITHIN_S):
                delays_ms.append(await _one_answer(connection))
    return delays_ms


async def _one_answer(connection: ClientConnection) -> float:
    """Return the milliseconds from the sentence's last piece to its sound."""
    await connection.send(json.dumps({"type": "message", "text": "@Relais parle"}))
    said, ended_s, heard_s = "", 0.0, 0.0
    while True:
        frame = json.loads(await connection.recv())
        if frame["type"] == "chunk":
            said += frame["text"]
            if not ended_s and SENTENCE in said:
                ended_s = time.perf_counter()
        elif frame["type"] == "audio" and not heard_s:
            heard_s = time.perf_counter()
        if heard_s and frame["type"] == "message" and frame["nick"] == "Relais":
            await _silence(connection)
            return (heard_s - ended_s) * 1000


async def _silence(connection: ClientConnection) -> None:
    """Wait until nothing more of the answer is heard."""
    try:
        while True:
            async with asyncio.timeout(1):
                await connection.recv()
    except TimeoutError:
        return
