"""What waits, what runs and what is done: one prompt at a time."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from palabre.sim.comfyui.graph import Graph
from palabre.sim.comfyui.script import Answer
from palabre.sim.ledger import JsonObject

MOST_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt in the queue; a smaller number runs earlier.

    Attributes:
        source: The graph as it was sent.
        client: Who is told how it goes; None tells nobody.
        rule: How the script lets it go.
    """

    number: float
    prompt_id: str
    graph: Graph
    source: JsonObject
    extra: JsonObject
    outputs: list[str]
    client: str | None
    rule: Answer

    def as_json(self) -> list[object]:
        """Return it as `/queue` and `/history` show it."""
        return [self.number, self.prompt_id, self.source, self.extra, self.outputs]


class PromptQueue:
    """The queue; *changed* is called after each change of its length."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._filled = asyncio.Event()
        self.interrupted = asyncio.Event()
        self.pending: list[Prompt] = []
        self.running: Prompt | None = None
        self.history: dict[str, JsonObject] = {}

    def put(self, prompt: Prompt) -> None:
        """Add *prompt* where its number says."""
        self.pending = sorted([*self.pending, prompt], key=lambda each: each.number)
        self._filled.set()
        self._changed()

    async def take(self) -> Prompt:
        """Wait for the next prompt, and let it run."""
        while not self.pending:
            self._filled.clear()
            await self._filled.wait()
        self.interrupted.clear()
        self.running = self.pending.pop(0)
        self._changed()
        return self.running

    def done(self, prompt: Prompt, result: JsonObject) -> None:
        """Keep the *result* of the prompt that ran."""
        self.running = None
        self.history[prompt.prompt_id] = {"prompt": prompt.as_json(), **result}
        while len(self.history) > MOST_REMEMBERED:
            del self.history[next(iter(self.history))]
        self._changed()

    def interrupt(self, prompt_id: str | None) -> None:
        """Stop the prompt that runs, if it is *prompt_id*; None stops any."""
        if self.running is not None and prompt_id in {None, self.running.prompt_id}:
            self.interrupted.set()

    def drop(self, prompt_ids: list[str] | None) -> None:
        """Remove waiting prompts; None removes all."""
        self.pending = [
            each
            for each in self.pending
            if prompt_ids is not None and each.prompt_id not in prompt_ids
        ]
        self._changed()

    def forget(self, prompt_ids: list[str] | None) -> None:
        """Remove prompts that are done; None removes all."""
        for prompt_id in list(self.history) if prompt_ids is None else prompt_ids:
            self.history.pop(prompt_id, None)

    def remaining(self) -> int:
        """Return how many wait or run."""
        return len(self.pending) + (self.running is not None)

    def as_json(self) -> JsonObject:
        """Return the answer of `/queue`."""
        running = [] if self.running is None else [self.running.as_json()]
        pending = [each.as_json() for each in self.pending]
        return {"queue_running": running, "queue_pending": pending}
