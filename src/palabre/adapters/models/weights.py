"""The weights on this machine, and how more are fetched."""

import asyncio
import fcntl
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import httpx2

from palabre.adapters.models.download import (
    PROBE_TIMEOUT_S,
    SILENCE_S,
    NoAnswerError,
    UnreachableError,
    download,
)
from palabre.adapters.models.mirror import assemble
from palabre.adapters.models.part_file import PartFile, WrongContentError
from palabre.adapters.models.weights_catalogue import (
    Catalogue,
    HubSource,
    MirrorSource,
    Source,
    UrlSource,
    Weights,
)
from palabre.core.models.errors import UnknownWeightsError, WeightsError, reason_of
from palabre.core.models.model import PullProgress
from palabre.kernel.text import Text, text, verbatim

LOCK_POLL_S = 0.5


class WeightStore:
    """A folder of weights.

    Args:
        catalogue: What can be fetched.
        folder: Where it is kept; made at the first need.
        hub: Address of the hub; empty switches it off.
        own: Weights that the user chose instead of ours.
    """

    def __init__(
        self, catalogue: Catalogue, folder: Path, hub: str, own: Weights | None = None
    ) -> None:
        self._catalogue = catalogue
        self._folder = folder
        self._hub = hub.rstrip("/")
        self._own = own

    def known(self) -> tuple[Weights, ...]:
        """Return all weights that can be had, the user's own first."""
        return (*self.own(), *self._catalogue.models.values())

    def own(self) -> tuple[Weights, ...]:
        """Return the weights that the user chose instead of ours, if any."""
        return (self._own,) if self._own else ()

    def tiers(self, weights: Weights | None = None) -> tuple[str, ...]:
        """Return the names of all tiers, or of those that *weights* may stand for."""
        tiers = self._catalogue.tiers.items()
        return tuple(tier for tier, names in tiers if weights is None or weights.name in names)

    def find(self, name: str) -> tuple[Weights, ...]:
        """Return the weights that *name* stands for, best first; none if it is unknown."""
        if self._own and name == self._own.name:
            return (self._own,)
        return self._catalogue.find(name)

    def path(self, weights: Weights) -> Path:
        """Return where *weights* lie once they are here."""
        return self._folder / weights.file

    def has(self, weights: Weights) -> bool:
        """Say whether *weights* are here whole."""
        path = self.path(weights)
        try:
            size_bytes = path.stat().st_size if path.is_file() else None
        except OSError:  # nobody may look, the name is too long ...
            return False
        return size_bytes is not None and weights.size_bytes in {0, size_bytes}

    async def fetch(self, name: str) -> AsyncGenerator[PullProgress]:
        """Make the tier or model *name* be here, unless it is.

        Of several models that a tier names, the first that is here or can be reached is taken.
        Every status but the last, `success`, tells which file is meant.

        Raises:
            UnknownWeightsError: There are no such weights.
            DiskFullError: There is no room.
            WeightsError: No source can be reached, what they have is not what was promised, or
                the folder will not have it.
        """
        choices = self.find(name)
        if not choices:
            raise UnknownWeightsError(name=name, known=self._names())
        try:
            async with aclosing(self._fetch_alone(name, choices)) as progress:
                async for each in progress:
                    yield each
        except OSError as error:
            raise WeightsError([verbatim(str(error))], name=name) from error
        yield PullProgress("success")

    async def _fetch_alone(
        self, name: str, choices: Sequence[Weights]
    ) -> AsyncGenerator[PullProgress]:
        await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
        async with self._alone(name):
            if not any(self.has(each) for each in choices):
                async with aclosing(self._fetch_first(name, choices)) as progress:
                    async for each in progress:
                        yield each

    async def _fetch_first(
        self, name: str, choices: Sequence[Weights]
    ) -> AsyncGenerator[PullProgress]:
        reasons: list[Text] = []
        hub_answers = bool(self._hub)
        async with _client() as http:
            for weights, source in self._sources(choices):
                if isinstance(source, HubSource) and not hub_answers:
                    continue
                try:
                    async with aclosing(self._fetch(http, weights, source)) as progress:
                        async for each in progress:
                            yield each
                except (UnreachableError, WrongContentError) as error:
                    if (reason := reason_of(error)) not in reasons:
                        reasons.append(reason)
                    hub_answers = hub_answers and not isinstance(error, NoAnswerError)
                else:
                    return
        raise WeightsError(reasons or [text("model_health.no_source")], name=name)

    async def _fetch(
        self, http: httpx2.AsyncClient, weights: Weights, source: Source
    ) -> AsyncGenerator[PullProgress]:
        part = PartFile(self.path(weights), weights.name, weights.sha256, weights.size_bytes)
        try:
            async with aclosing(self._transfer(http, weights, source, part)) as progress:
                async for each in progress:
                    yield PullProgress(weights.name, each.done_bytes, each.total_bytes)
            await asyncio.to_thread(part.finish)
        finally:
            part.close()

    def _transfer(
        self, http: httpx2.AsyncClient, weights: Weights, source: Source, part: PartFile
    ) -> AsyncGenerator[PullProgress]:
        match source:
            case MirrorSource():
                return assemble(source, part, weights.size_bytes)
            case UrlSource():
                return download(http, source.url, part)
            case HubSource():
                file = source.file or weights.file
                url = f"{self._hub}/{source.repository}/resolve/{source.revision}/{file}"
                return download(http, url, part)

    def _sources(self, choices: Sequence[Weights]) -> list[tuple[Weights, Source]]:
        return [(weights, source) for weights in choices for source in weights.sources]

    @asynccontextmanager
    async def _alone(self, name: str) -> AsyncIterator[None]:
        """Keep other processes from fetching the same at the same time."""
        lock = self._folder / f".{name.replace('/', '_')}.lock"
        with lock.open("a") as handle:
            while not _locked(handle.fileno()):  # noqa: ASYNC110 - another process has it
                await asyncio.sleep(LOCK_POLL_S)
            yield

    def _names(self) -> str:
        return ", ".join((*self.tiers(), *(each.name for each in self.known())))


def _client() -> httpx2.AsyncClient:
    timeout = httpx2.Timeout(SILENCE_S, connect=PROBE_TIMEOUT_S)
    return httpx2.AsyncClient(follow_redirects=True, timeout=timeout)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
