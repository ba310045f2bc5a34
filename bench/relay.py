"""Token relay: what the server adds between the model's token and the listener's chunk."""

from statistics import median

from bench.load import Figures, wsload
from bench.plan import Plan
from bench.rows import Row
from bench.target import Target

TOKENS = 150
ROUNDS = 3
TOKENS_PER_S = 50
BUDGETS_MS = {(1, "p50"): 1.0, (1, "p99"): 5.0, (200, "p50"): 4.0, (200, "p99"): None}
PERSONA = """
nick = "Relais"
color = "#4fc3f7"
model = "qwen3:8b"
prompt = "Tu es Relais."
"""
SCRIPT = f"""
tokens_per_s = {TOKENS_PER_S}
[[answer]]
stamp = true
tokens = [{'"mot ", ' * TOKENS}]
"""


def measure(plan: Plan) -> list[Row]:
    """Let the simulated Ollama stamp each token with the time it was sent."""
    with (
        plan.ollama(SCRIPT) as ollama_port,
        plan.server(persona=PERSONA, ollama_port=ollama_port) as target,
    ):
        runs = {listeners: _listen(plan, target, listeners) for listeners in (1, 200)}
    return [
        Row(
            f"token relay to {listeners}: {rank}",
            median(figures[f"{rank}_ms"] for figures in runs[listeners]),
            "ms",
            budget_ms,
            note=f"added to a chunk; {_missing(runs[listeners]):.0f} chunks missing",
        )
        for (listeners, rank), budget_ms in BUDGETS_MS.items()
    ]


def _listen(plan: Plan, target: Target, listeners: int) -> list[Figures]:
    load = ("--conns", str(listeners), "--expect", str(TOKENS), "--duration", "20")
    only = ("--count", '"type":"chunk"')
    found: list[Figures] = []
    for turn in range(ROUNDS):
        plan.tell(f"token relay to {listeners}, round {turn + 1} of {ROUNDS}")
        found.append(wsload("listen", target, *load, *only, text="@Relais parle"))
    return found


def _missing(runs: list[Figures]) -> float:
    return sum(figures["missing"] for figures in runs)
