"""Token relay: what the server adds between the model's token and the listener's chunk."""

from bench.load import Figures, wsload
from bench.plan import Plan
from bench.rows import Row

TOKENS = 400
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
    figures = {listeners: _listen(plan, listeners) for listeners in (1, 200)}
    return [
        Row(
            f"token relay to {listeners}: {rank}",
            figures[listeners][f"{rank}_ms"],
            "ms",
            budget_ms,
            note=f"added to a chunk; {figures[listeners]['missing']:.0f} chunks missing",
        )
        for (listeners, rank), budget_ms in BUDGETS_MS.items()
    ]


def _listen(plan: Plan, listeners: int) -> Figures:
    plan.tell(f"token relay to {listeners}")
    with (
        plan.ollama(SCRIPT) as ollama_port,
        plan.server(persona=PERSONA, ollama_port=ollama_port) as target,
    ):
        load = ("--conns", str(listeners), "--expect", str(TOKENS), "--duration", "20")
        only = ("--count", '"type":"chunk"')
        return wsload("listen", target, *load, *only, text="@Relais parle")
