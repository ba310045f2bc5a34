"""What a simulator was asked, and how each call ended."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

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
    """One request; `body` is its JSON, its form, or the parameters of its address."""

    method: str
    path: str
    body: JsonObject
    outcome: Outcome = Outcome.RUNNING

    def as_json(self) -> JsonObject:
        """Return it as `/sim/requests` shows it."""
        return {
            "method": self.method,
            "path": self.path,
            "body": self.body,
            "outcome": self.outcome,
        }


C = TypeVar("C", bound=Call)


@dataclass(slots=True)
class Ledger:
    """All calls, oldest first, and the most that ran at once."""

    calls: list[Call] = field(default_factory=list)
    most_at_once: int = 0

    def add(self, call: C) -> C:
        """Note a new call and return it."""
        self.calls.append(call)
        self.most_at_once = max(self.most_at_once, self._count(Outcome.RUNNING))
        return call

    def clear(self) -> None:
        """Forget the calls that ended; those that run stay."""
        self.calls = [call for call in self.calls if call.outcome is Outcome.RUNNING]
        self.most_at_once = len(self.calls)

    def as_json(self) -> JsonObject:
        """Return it as `/sim/requests` shows it."""
        counts = {outcome.value: self._count(outcome) for outcome in Outcome}
        requests = [call.as_json() for call in self.calls]
        return {**counts, "most_at_once": self.most_at_once, "requests": requests}

    def _count(self, outcome: Outcome) -> int:
        return sum(call.outcome is outcome for call in self.calls)

    def route(self) -> Route:
        """Return `/sim/requests`: GET tells all, DELETE forgets what has ended."""

        async def requests(request: Request) -> Response:
            if request.method == "DELETE":
                self.clear()
            return JSONResponse(self.as_json())

        return Route("/sim/requests", requests, methods=["GET", "DELETE"])


class Rule(Protocol):
    """What all rules of scripts have; `times` is how often one answers, None is for ever."""

    @property
    def times(self) -> int | None: ...


R = TypeVar("R", bound=Rule)


class Uses:
    """How often each rule of a script has answered."""

    def __init__(self) -> None:
        self._uses: Counter[int] = Counter()

    def take(self, rules: Sequence[R], fits: Sequence[bool]) -> R | None:
        """Use the first rule that *fits* and is not used up; None if there is none."""
        for number, (rule, fit) in enumerate(zip(rules, fits, strict=True)):
            if fit and (rule.times is None or self._uses[number] < rule.times):
                self._uses[number] += 1
                return rule
        return None
