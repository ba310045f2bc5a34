"""Documents that are handed in at the command line: progress, receipts, an exit code."""

from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from palabre.adapters.knowledge.files import DocumentFiles
from palabre.adapters.media.signature_typer import SignatureFileTyper
from palabre.app.cli.console import plain_console
from palabre.app.cli.failure import FAILED
from palabre.app.cli.knowledge_tables import Data, document_data
from palabre.app.settings import Settings
from palabre.app.uploads import file_reader
from palabre.core.knowledge.indexing import PROBE_DEPTH, OnProgress
from palabre.core.knowledge.model import Receipt, SourceText
from palabre.core.knowledge.service import KnowledgeService
from palabre.core.models.errors import reason_of
from palabre.kernel.errors import UpstreamError, UserError
from palabre.kernel.text import Text, text, verbatim
from palabre.texts import Language, say


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file; *refusal* says why there is no *receipt*."""

    name: str
    receipt: Receipt | None = None
    refusal: Text | None = None

    @property
    def status(self) -> str:
        """`indexed`, `unchanged`, `waiting` or `refused`."""
        return self.receipt.status if self.receipt else "refused"

    def as_data(self, language: Language) -> Data:
        """Return the outcome for programs."""
        if self.receipt is None:
            reason = say(self.refusal, language) if self.refusal else None
            return {"name": self.name, "status": self.status, "reason": reason}
        receipt = self.receipt
        return document_data(receipt.document) | {
            "name": self.name,
            "status": receipt.status,
            "embedded": receipt.embedded,
            "probeRank": receipt.probe_rank,
            "seconds": round(receipt.duration_s, 3),
        }


@dataclass(slots=True)
class Intake:
    """Takes files in, one after the other, and tells what became of each.

    Attributes:
        quiet: Whether nothing is printed: a program reads the result.
        outcomes: What became of those that are done.
    """

    settings: Settings
    quiet: bool = False
    outcomes: list[Outcome] = field(default_factory=list)

    async def take_files(
        self, service: KnowledgeService, paths: Sequence[Path], title: str
    ) -> None:
        """Index the files *paths*; one that is refused stops no other."""
        reader = file_reader(self.settings.uploads)
        async with aclosing(reader):
            files = DocumentFiles(SignatureFileTyper(), reader)
            for path in paths:
                try:
                    source = await files.read(path, title)
                except (UserError, UpstreamError) as error:
                    self._note(Outcome(str(path), refusal=_refusal(path, error)))
                    continue
                await self.take_text(service, source)

    async def take_text(self, service: KnowledgeService, source: SourceText) -> None:
        """Index one text."""
        try:
            with self.progress(source.title) as on_progress:
                receipt = await service.add(source, on_progress)
        except UserError as error:
            self._note(Outcome(source.source, refusal=error.text))
            return
        reason = await self.reason(service) if receipt.status == "waiting" else ""
        self._note(Outcome(source.source, receipt), reason)

    @contextmanager
    def progress(self, label: str = "") -> Iterator[OnProgress]:
        """Show a bar on a terminal while the block runs; the block tells how far it is."""
        bar = Progress(
            "{task.description}",
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=self.quiet or not Console(stderr=True).is_terminal,
            transient=True,
        )
        label = label or say(text("cli.knowledge.indexing"), self.settings.language)
        with bar:
            task = bar.add_task(label.replace("[", "\\["), total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    async def reason(self, service: KnowledgeService) -> str:
        """Return why the embedder does not answer."""
        try:
            await service.embedder()
        except UpstreamError as error:
            return say(reason_of(error), self.settings.language)
        return say(text("cli.knowledge.no_reason"), self.settings.language)

    def _note(self, outcome: Outcome, reason: str = "") -> None:
        self.outcomes.append(outcome)
        if not self.quiet:
            line = say(_line(outcome, reason), self.settings.language)
            color = {"refused": "red", "waiting": "yellow"}.get(outcome.status, "")
            plain_console().print(line, style=color, soft_wrap=True)


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Return 0 when every document is indexed; nothing at all is a failure."""
    well = all(each.status in {"indexed", "unchanged"} for each in outcomes)
    return 0 if well and outcomes else FAILED


def print_summary(outcomes: Sequence[Outcome], language: Language) -> None:
    """Print how many of each there are, where there are several."""
    counts = {
        status: sum(each.status == status for each in outcomes)
        for status in ("indexed", "unchanged", "waiting", "refused")
    }
    if len(outcomes) != 1:
        summary = text("cli.knowledge.summary", **counts)
        plain_console().print(say(summary, language), style="bold", soft_wrap=True)


def _refusal(path: Path, error: UserError | UpstreamError) -> Text:
    if "path" in error.data:
        return error.text
    return text("upload.failed", name=str(path), reason=error.text)


def _line(outcome: Outcome, reason: str) -> Text:
    if outcome.receipt is None:
        return text("cli.knowledge.refused", reason=outcome.refusal or verbatim(""))
    receipt, document = outcome.receipt, outcome.receipt.document
    pages = text("cli.knowledge.pages", count=document.pages) if document.pages else verbatim("")
    data: dict[str, str | int | float | Text] = {
        "title": document.title,
        "id": document.id,
        "pages": pages,
        "chunks": document.chunks,
        "embedded": receipt.embedded,
        "missing": document.chunks - receipt.embedded,
        "probe": _probe(receipt.probe_rank),
        "duration_s": receipt.duration_s,
        "reason": reason,
    }
    return Text(f"cli.knowledge.{receipt.status}", data)


def _probe(rank: int | None) -> Text:
    if rank is None:
        return text("cli.knowledge.no_probe", depth=PROBE_DEPTH)
    return text("cli.knowledge.probe", rank=rank)
