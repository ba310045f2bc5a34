"""Word documents: paragraphs and tables in their order, then headers, footers and notes."""

from collections.abc import Iterable, Iterator

from docx import Document
from docx.blkcntnr import BlockItemContainer
from docx.document import Document as WordDocument
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from docx.table import Table

from palabre.adapters.media.archive_check import checked
from palabre.adapters.media.clip import Clip
from palabre.adapters.media.job import Found, Job

_NOTES = ("footnotes", "endnotes")


def read(job: Job) -> Found:
    """Read a `.docx`. python-docx expands no entity and follows no external relation."""
    document = Document(checked(job.contents[0]))
    clip = Clip(job.text_bytes)
    for line in _lines(document):
        if not clip.line(line):
            break
    return Found(clip.reading())


def _lines(document: WordDocument) -> Iterator[str]:
    yield from _blocks(document)
    yield from dict.fromkeys(_margins(document))
    yield from _notes(document)


def _blocks(container: BlockItemContainer | WordDocument) -> Iterator[str]:
    for block in container.iter_inner_content():
        if isinstance(block, Table):
            yield from _rows(block)
        else:
            yield block.text


def _rows(table: Table) -> Iterator[str]:
    """Yield a line a row. A cell that spans several columns is said once."""
    for row in table.rows:
        cells = dict.fromkeys(cell._tc for cell in row.cells)  # noqa: SLF001 - their identity
        yield " | ".join(" ".join(_words(cell.iterchildren())) for cell in cells)


def _words(elements: Iterable[object]) -> Iterator[str]:
    for element in elements:
        words = "".join(node.text or "" for node in element.iter(qn("w:t")))  # type: ignore[attr-defined]
        if words:
            yield words


def _margins(document: WordDocument) -> Iterator[str]:
    for section in document.sections:
        for margin in (section.header, section.footer):
            if not margin.is_linked_to_previous:
                yield from _blocks(margin)


def _notes(document: WordDocument) -> Iterator[str]:
    for relation in document.part.rels.values():
        if not relation.is_external and relation.reltype.rpartition("/")[2] in _NOTES:
            notes = parse_xml(relation.target_part.blob)
            yield from ("".join(_words([note])) for note in notes)
