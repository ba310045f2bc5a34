"""The engine in memory: it keeps what it is given, and really runs graphs, one step at a time."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from palabre.core.engine.artifacts import Artifact
from palabre.core.engine.errors import (
    ArrowError,
    ArtifactNotFoundError,
    GraphChangedError,
    ModelNotRegisteredError,
    RunNotFoundError,
)
from palabre.core.engine.model import Answer, Graph, GraphId, Node, NodeId, Run, RunId
from palabre.core.engine.node_types import NodeType
from palabre.core.engine.performing import Performer
from palabre.core.engine.ports import RegisteredModel, Worker
from palabre.core.engine.runs import answered, cancelled, held, released
from palabre.core.engine.services import Services
from palabre.core.engine.states import is_final
from palabre.core.engine.step import StepCall, StepContext, StepResult
from palabre.kernel.clock import Clock
from palabre.kernel.ids import Ids
from palabre.kernel.text import Text, text
from palabre.testing.engine_steps import Contents, a_context


class MemoryGraphStore:
    """`GraphStore` in memory."""

    def __init__(self) -> None:
        self._versions: dict[GraphId, list[Graph]] = {}

    async def all(self) -> Sequence[Graph]:
        newest = [each[-1] for each in self._versions.values()]
        return sorted(newest, key=lambda each: each.updated_at, reverse=True)

    async def find(self, graph_id: GraphId, version: int | None = None) -> Graph | None:
        found = self._versions.get(graph_id, [])
        wanted = (each for each in reversed(found) if version in {None, each.version})
        return next(wanted, None)

    async def save(self, graph: Graph) -> None:
        versions = self._versions.setdefault(graph.id, [])
        newest = versions[-1].version if versions else 0
        if graph.version != newest + 1:
            raise GraphChangedError(graph=graph.id, version=newest)
        versions.append(graph)


class MemoryRunStore:
    """`RunStore` in memory."""

    def __init__(self) -> None:
        self._runs: dict[RunId, Run] = {}
        self._logs: dict[tuple[RunId, NodeId], list[str]] = {}

    async def add(self, run: Run) -> None:
        self._runs[run.id] = run

    async def find(self, run_id: RunId) -> Run | None:
        return self._runs.get(run_id)

    async def change(self, run_id: RunId, change: Callable[[Run], Run]) -> Run:
        if run_id not in self._runs:
            raise RunNotFoundError(run=run_id)
        self._runs[run_id] = change(self._runs[run_id])
        return self._runs[run_id]

    async def latest(self, limit: int, *, graph_id: GraphId | None = None) -> Sequence[Run]:
        newest_first = reversed(self._runs.values())
        return [run for run in newest_first if graph_id in {None, run.graph.id}][:limit]

    async def unfinished(self) -> Sequence[Run]:
        return [run for run in self._runs.values() if not is_final("run", run.state)]

    async def cached(self, cache_key: str) -> tuple[RunId, Sequence[Artifact]] | None:
        found = (
            (run.id, step.outputs)
            for run in reversed(self._runs.values())
            for step in run.steps
            if (step.cache_key, step.state, step.reused_from) == (cache_key, "completed", "")
        )
        return next(found, None)

    async def add_log(self, run_id: RunId, node_id: NodeId, lines: Sequence[str]) -> None:
        self._logs.setdefault((run_id, node_id), []).extend(lines)

    async def log(self, run_id: RunId, node_id: NodeId) -> AsyncGenerator[Sequence[str]]:
        yield self._logs.get((run_id, node_id), [])


class MemoryArtifactStore:
    """`ArtifactStore` over the contents that steps write.

    Attributes:
        summarised: Runs whose summary was written.
    """

    def __init__(self, runs: MemoryRunStore, contents: Contents) -> None:
        self.summarised: list[Run] = []
        self._runs = runs
        self._contents = contents

    async def of_run(self, run_id: RunId) -> Sequence[Artifact]:
        run = await self._runs.find(run_id)
        return [each for step in run.steps for each in step.outputs] if run else []

    async def content(self, artifact: Artifact, file: str) -> AsyncGenerator[bytes]:
        content = self._contents.get((artifact.run_id, artifact.step_id, file))
        if content is None or file not in {each.name for each in artifact.files}:
            raise ArtifactNotFoundError(artifact=file)
        yield content

    async def is_whole(self, artifact: Artifact) -> bool:
        place = (artifact.run_id, artifact.step_id)
        return all((*place, each.name) in self._contents for each in artifact.files)

    async def summarise(self, run: Run) -> None:
        self.summarised.append(run)

    async def forget(self, run_id: RunId) -> None:
        for place in [each for each in self._contents if each[0] == run_id]:
            del self._contents[place]


class MemoryModelRegistry:
    """`ModelRegistryStore` in memory."""

    def __init__(self) -> None:
        self._models: list[RegisteredModel] = []

    async def all(self) -> Sequence[RegisteredModel]:
        return list(reversed(self._models))

    async def find(self, name: str) -> RegisteredModel | None:
        newest_first = reversed(self._models)
        return next((each for each in newest_first if name in {each.name, each.alias}), None)

    async def register(self, draft: RegisteredModel) -> RegisteredModel:
        for each in self._models:
            if each.once == draft.once:
                return each
        version = 1 + sum(each.alias == draft.alias for each in self._models)
        kept = replace(draft, name=f"{draft.alias}_v{version}", version=version)
        self._models.append(kept)
        return kept

    async def tag(self, name: str, tags: Sequence[str]) -> RegisteredModel:
        for place, each in enumerate(self._models):
            if each.name == name:
                self._models[place] = replace(each, tags=tuple(tags))
                return self._models[place]
        raise ModelNotRegisteredError(model=name)


class MemoryBench:
    """`Bench` in this process, whatever the place of a type.

    Attributes:
        contexts: What each step that was begun stands on, in order.
    """

    def __init__(self, contents: Contents, services: Services) -> None:
        self.contexts: list[tuple[StepCall, StepContext]] = []
        self._contents = contents
        self._services = services

    async def work(self, node_type: NodeType, call: StepCall) -> StepResult:
        context = a_context(call, self._contents, self._services)
        self.contexts.append((call, context))
        return await node_type.run(call, context)


class InProcessRunner:
    """`JobRunner` that performs one run after the other, one step after the other, in `work`.

    Attributes:
        runs, artifacts, bench: What it works on.
        contents: Bytes of all files.
    """

    def __init__(
        self,
        types: Mapping[str, NodeType],
        *,
        clock: Clock,
        ids: Ids,
        services: Services | None = None,
        runtimes: frozenset[str] = frozenset({"local_cpu"}),
    ) -> None:
        self.contents: Contents = {}
        self.runs = MemoryRunStore()
        self.artifacts = MemoryArtifactStore(self.runs, self.contents)
        self.bench = MemoryBench(self.contents, services or Services())
        self._types = types
        self._services = services or Services()
        self._runtimes = runtimes
        self._clock = clock
        self._queue: list[RunId] = []
        self._working: tuple[RunId, asyncio.Task[None]] | None = None
        self._performer = Performer(
            types, self.runs, self.artifacts, self.bench, clock=clock, ids=ids
        )

    async def enqueue(self, run_id: RunId) -> None:
        if run_id not in self._queue:
            self._queue.append(run_id)

    async def hold(self, run_id: RunId) -> None:
        await self.runs.change(run_id, held)

    async def release(self, run_id: RunId) -> None:
        now = self._clock.now()
        await self.runs.change(run_id, lambda run: released(run, now))

    async def cancel(self, run_id: RunId) -> None:
        now = self._clock.now()
        run = await self.runs.change(run_id, lambda each: cancelled(each, now))
        await self.artifacts.summarise(run)
        if self._working and self._working[0] == run_id:
            self._working[1].cancel()
            await asyncio.wait([self._working[1]])

    async def answer(self, run_id: RunId, node_id: NodeId, answer: Answer) -> None:
        await self.runs.change(run_id, lambda run: answered(run, node_id, answer))
        await self.enqueue(run_id)

    async def workers(self) -> Sequence[Worker]:
        return [Worker("here", self._runtimes, self._clock.now(), int(self._working is not None))]

    async def work(self) -> None:
        """Perform what is queued, until nothing is but what is held or waits for a person."""
        for run_id in list(self._queue):
            run = await self.runs.find(run_id)
            if run is None or run.held:
                continue
            self._queue.remove(run_id)
            async with asyncio.TaskGroup() as group:
                task = group.create_task(self._perform(run_id))
                self._working = (run_id, task)
            self._working = None

    async def _perform(self, run_id: RunId) -> None:
        await self._performer.begin(run_id)
        while steps := await self._performer.next_steps(run_id, self.lacks):
            await self._performer.perform(run_id, steps[0].id)
        with suppress(ArrowError):
            run = await self._performer.finish(run_id)
            if is_final("run", run.state):
                await self.artifacts.summarise(run)

    def lacks(self, node: Node) -> Text | None:
        """Return why *node* cannot be performed here; None if it can."""
        if node.runtime not in self._runtimes:
            return text("step.no_worker", runtime=node.runtime)
        return self._types[node.type].lacks(self._services)
