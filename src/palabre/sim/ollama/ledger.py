"""A call of the simulated Ollama."""

from dataclasses import dataclass

from palabre.sim.ledger import Call, JsonObject


@dataclass(slots=True)
class OllamaCall(Call):
    """One request, how many tokens of its answer were sent, and how many pictures it brought."""

    tokens_sent: int = 0
    images: int = 0

    def as_json(self) -> JsonObject:
        """Return it as `/sim/requests` shows it."""
        return {
            **Call.as_json(self),
            "tokens_sent": self.tokens_sent,
            "images": self.images,
        }
