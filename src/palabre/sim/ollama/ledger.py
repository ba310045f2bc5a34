"""What the simulated Ollama was asked, and how each call ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

JsonObject = Mapping[str, object]


class Outcome(StrEnum):
    """How a call stands."""

    RUNNING = "running"
    ANSWERED = "answered"
    FAILED = "failed"
    """On purpose: the script says so, or the request was wrong."""
    CUT_BY_CLIENT = "cut_by_client"


@dataclass(slots=True)
class Call:
    """One request."""

    method: str
    path: str
    body: JsonObject
    outcome: Outcome = Outcome.RUNNING
    tokens_sent: int = 0

    def as_json(self) -> JsonObject:
        """Return it as `/sim/requests` shows it."""
        return {
            "method": self.method,
            "path": self.path,
            "body": self.body,
            "outcome": self.outcome,
            "tokens_sent": self.tokens_sent,
        }


@dataclass(slots=True)
class Ledger:
    """All calls, oldest first, and the most that ran at once."""

    calls: list[Call] = field(default_factory=list)
    most_at_once: int = 0

    def open(self, method: str, path: str, body: JsonObject) -> Call:
        """Note a new call."""
        call = Call(method, path, body)
        self.calls.append(call)
        self.most_at_once = max(self.most_at_once, self._count(Outcome.RUNNING))
        return call

    def clear(self) -> None:
        """Forget the calls that ended; those that run stay."""
        self.calls = [call for call in self.calls if call.outcome is Outcome.RUNNING]
        self.most_at_once = len(self.calls)

    def as_json(self) -> JsonObject:
        """Return it as `/sim/requests` shows it."""
        return {
            "running": self._count(Outcome.RUNNING),
            "answered": self._count(Outcome.ANSWERED),
            "failed": self._count(Outcome.FAILED),
            "cut_by_client": self._count(Outcome.CUT_BY_CLIENT),
            "most_at_once": self.most_at_once,
            "requests": [call.as_json() for call in self.calls],
        }

    def _count(self, outcome: Outcome) -> int:
        return sum(call.outcome is outcome for call in self.calls)
