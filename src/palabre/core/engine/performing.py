"""Let the steps of a run happen: the same rules for every `JobRunner`, durable or in memory.

A runner calls `begin`, then `next_steps` and `perform` until there are none, then `finish`. Each
may be called again after a crash, in any process: what has been done is not done twice.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from palabre.core.engine.artifacts import Artifact
from palabre.core.engine.errors import ArrowError, RunNotFoundError
from palabre.core.engine.model import NodeId, Run, RunId, Step
from palabre.core.engine.node_types import NodeType
from palabre.core.engine.params import checked
from palabre.core.engine.planning import (
    Lacks,
    cache_key,
    inputs_of,
    is_over,
    params_of,
    ready,
    settle,
)
from palabre.core.engine.ports import ArtifactStore, RunStore
from palabre.core.engine.runs import begun, ended, failed, finished, recovered, reused, started
from palabre.core.engine.step import StepCall, StepResult
from palabre.kernel.clock import Clock
from palabre.kernel.errors import PalabreError
from palabre.kernel.ids import Ids
from palabre.kernel.text import Text, text

_log = logging.getLogger(__name__)


class Bench(Protocol):
    """Where the work of steps is done."""

    async def work(self, node_type: NodeType, call: StepCall) -> StepResult:
        """Run *node_type* with a fresh folder and context, at its `place`.

        Cancelled, it returns when nothing of the step is alive any more. What the node raises is
        raised here.
        """
        ...


class Performer:
    """Performs runs, step by step."""

    def __init__(
        self,
        types: Mapping[str, NodeType],
        runs: RunStore,
        artifacts: ArtifactStore,
        bench: Bench,
        *,
        clock: Clock,
        ids: Ids,
    ) -> None:
        self._types = types
        self._runs = runs
        self._artifacts = artifacts
        self._bench = bench
        self._clock = clock
        self._ids = ids

    async def begin(self, run_id: RunId) -> Run:
        """Let a queued run begin. One that is held, or not queued, stays as it is."""
        return await self._runs.change(run_id, self._begun)

    async def recover(self, run_id: RunId) -> Run:
        """Queue the run again if it was running: its worker is gone, and nothing of it lives."""
        return await self._runs.change(
            run_id, lambda run: recovered(run, self._clock.now()) if run.state == "running" else run
        )

    async def next_steps(self, run_id: RunId, lacks: Lacks) -> tuple[Step, ...]:
        """End the steps that will never begin, and return those that can.

        None are left when the run is over, was asked to end, or waits for steps that are running
        or for a person.
        """
        run = await self._runs.change(run_id, lambda run: self._settled(run, lacks))
        return () if run.cancel_requested_at else ready(run)

    async def perform(self, run_id: RunId, node_id: NodeId) -> Step:
        """Perform a step, or take over the outputs of an equal one; return how it is then.

        A step that is not queued, because somebody else performs it or did, is left alone.
        """
        run = await self._found(run_id)
        step = run.step(node_id)
        node_type = self._types[step.type]
        params, _ = checked(node_type, params_of(run, node_id))
        inputs = inputs_of(run, node_id)
        key = cache_key(node_type, params, inputs)
        if key and (taken := await self._reuse(run, node_id, key)):
            return taken
        try:
            now = self._clock.now()
            run = await self._runs.change(run_id, lambda each: started(each, node_id, key, now))
        except ArrowError:
            return (await self._found(run_id)).step(node_id)
        step = run.step(node_id)
        call = StepCall(
            run_id, node_id, step.runtime, run.actor, params, inputs, step.attempt, step.answer
        )
        return await self._worked(node_type, call)

    async def finish(self, run_id: RunId) -> Run:
        """End the run if each of its steps has ended; else leave it."""
        return await self._runs.change(run_id, self._finished)

    async def _worked(self, node_type: NodeType, call: StepCall) -> Step:
        seconds = call.params.get("timeout_s")
        most = seconds if isinstance(seconds, int | float) else node_type.timeout_s
        try:
            async with asyncio.timeout(most):
                result = await self._bench.work(node_type, call)
        except TimeoutError:
            return await self._failed(call, text("step.timeout", seconds=most))
        except PalabreError as error:
            return await self._failed(call, error.text)
        except Exception:  # noqa: BLE001 - the outermost loop of a step
            reference = self._ids.new("error")
            _log.exception("step failed", extra={"reference": reference})
            return await self._failed(call, text("step.fault", reference=reference))
        now = self._clock.now()
        return await self._told(call, lambda run: ended(run, call.node_id, result, now))

    async def _failed(self, call: StepCall, why: Text) -> Step:
        now = self._clock.now()
        return await self._told(call, lambda run: failed(run, call.node_id, why, now))

    async def _told(self, call: StepCall, change: Callable[[Run], Run]) -> Step:
        """Keep how a step ended; if the run was cancelled meanwhile, that stays as it is."""
        try:
            run = await self._runs.change(call.run_id, change)
        except ArrowError:
            run = await self._found(call.run_id)
        return run.step(call.node_id)

    async def _reuse(self, run: Run, node_id: NodeId, key: str) -> Step | None:
        found = await self._runs.cached(key)
        if found is None or not await self._are_whole(found[1]):
            return None
        source, outputs = found
        now = self._clock.now()
        try:
            changed = await self._runs.change(
                run.id, lambda each: reused(each, node_id, tuple(outputs), key, source, now)
            )
        except ArrowError:
            return (await self._found(run.id)).step(node_id)
        return changed.step(node_id)

    async def _are_whole(self, artifacts: Sequence[Artifact]) -> bool:
        return all([await self._artifacts.is_whole(each) for each in artifacts])

    async def _found(self, run_id: RunId) -> Run:
        run = await self._runs.find(run_id)
        if run is None:
            raise RunNotFoundError(run=run_id)
        return run

    def _begun(self, run: Run) -> Run:
        return run if run.held or run.state != "queued" else begun(run, self._clock.now())

    def _settled(self, run: Run, lacks: Lacks) -> Run:
        if run.state != "running":
            return run
        return settle(run, self._types, lacks, self._clock.now())

    def _finished(self, run: Run) -> Run:
        over = run.state == "running" and is_over(run)
        return finished(run, self._clock.now()) if over else run
