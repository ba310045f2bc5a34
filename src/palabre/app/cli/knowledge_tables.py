"""Documents and passages, for people and for programs."""

from collections.abc import Collection, Sequence

from rich.table import Table

from palabre.app.cli.console import plain_console
from palabre.core.knowledge.model import Document, Match, Passage
from palabre.kernel.clock import iso_utc, whole_ms
from palabre.kernel.text import Text, text, verbatim
from palabre.texts import Language, say

Data = dict[str, str | int | float | bool | None]


def document_data(document: Document) -> Data:
    """Return what is told of *document* to programs."""
    return {
        "id": document.id,
        "title": document.title,
        "source": document.source,
        "state": state(document),
        "sha256": document.sha256,
        "addedAt": iso_utc(whole_ms(document.added_at)),
        "chars": document.chars,
        "pages": document.pages,
        "chunks": document.chunks,
    }


def state(document: Document) -> str:
    """Return `ready`, `words` (found by words alone) or `pending` (not found yet)."""
    if document.is_pending:
        return "pending"
    return "ready" if document.embedded else "words"


def document_page(document: Document, language: Language) -> Text:
    """Return all that is known of *document*."""
    data = {key: value for key, value in document_data(document).items() if value is not None}
    return text("cli.knowledge.show", **data | {"state": _state(document, language)})


def document_table(documents: Sequence[Document], language: Language) -> Table:
    """Return *documents* as a table."""
    table = Table(box=None, header_style="bold")
    for column in ("id", "title", "state", "passages", "chars", "source"):
        head = say(text(f"cli.knowledge.column.{column}"), language)
        table.add_column(head, overflow="fold", no_wrap=column not in {"title", "source"})
    for each in documents:
        counts = str(each.chunks), str(each.chars)
        table.add_row(each.id, each.title, _state(each, language), *counts, each.source)
    return table


def match_data(match: Match, told: Collection[Passage]) -> Data:
    """Return what is told of *match* to programs; personas are told the passages *told*."""
    passage = match.passage
    return {
        "document": passage.document_id,
        "title": passage.title,
        "source": passage.source,
        "page": passage.page,
        "text": passage.text,
        "similarity": round(passage.similarity, 4) if match.has_vector else None,
        "wordsRank": match.words_rank,
        "vectorsRank": match.vectors_rank,
        "told": passage in told,
    }


def print_matches(matches: Sequence[Match], told: Collection[Passage], language: Language) -> None:
    """Print *matches*, best first, and whether personas are told them."""
    console = plain_console()
    for rank, match in enumerate(matches, 1):
        passage = match.passage
        page = text("cli.knowledge.page", page=passage.page) if passage.page else verbatim("")
        known = verbatim(f"{passage.similarity:.2f}")
        similarity = known if match.has_vector else text("cli.knowledge.unknown_similarity")
        head = text(
            "cli.knowledge.match",
            rank=rank,
            title=passage.title,
            page=page,
            similarity=similarity,
            told=text("cli.knowledge.told" if passage in told else "cli.knowledge.not_told"),
        )
        console.print(say(head, language), style="bold", soft_wrap=True)
        console.print(f"{passage.text}\n", soft_wrap=True)


def _state(document: Document, language: Language) -> str:
    return say(text(f"cli.knowledge.state.{state(document)}"), language)
