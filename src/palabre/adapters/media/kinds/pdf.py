"""PDF: the text layer; pictures of the first pages when there is none."""

import io
from collections.abc import Iterator
from contextlib import closing, suppress

import pypdfium2
from pypdfium2.raw import FPDF_ERR_PASSWORD

from palabre.adapters.media.clip import Clip
from palabre.adapters.media.job import Found, Job
from palabre.core.media.errors import FileUnreadableError
from palabre.core.media.model import Reading

MAX_PAGES = 5000
READ_PAGES = 1000
OCR_PAGES = 5
PAGE_PX = 1568
"""The longer side of a page's picture."""

_POINTS_PER_INCH = 72
_DOTS_PER_INCH = 200
_MIN_SIDE = 1.0


def read(job: Job) -> Found:
    """Read a PDF.

    Raises:
        FileUnreadableError: It is damaged, needs a password, or has too many pages.
    """
    with closing(_opened(job.contents[0])) as document:
        pages = len(document)
        if pages > MAX_PAGES:
            raise FileUnreadableError("file_reason.pages", limit=MAX_PAGES)
        clip = Clip(job.text_bytes)
        is_whole = all(_add(clip, page, n) for n, page in enumerate(_pages(document, READ_PAGES)))
        clip.is_cut = not is_whole or pages > READ_PAGES
        if clip.text.strip():
            return Found(clip.reading(pages=pages))
        pictures = tuple(_pictures(document))
        if not pictures:
            raise FileUnreadableError("file_reason.damaged")
        return Found(Reading(pages=pages, is_cut=pages > OCR_PAGES), pictures)


def _opened(content: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == FPDF_ERR_PASSWORD:
            raise FileUnreadableError("file_reason.password") from error
        raise FileUnreadableError("file_reason.damaged") from error


def _add(clip: Clip, page: pypdfium2.PdfPage, before: int) -> bool:
    """Add a page, after a form feed unless none was *before*; say whether all of it fitted.

    A row of a table is a line.
    """
    with closing(page.get_textpage()) as text:
        lines = text.get_text_bounded().splitlines()
    return (not before or clip.add("\f")) and all(map(clip.line, lines))


def _pictures(document: pypdfium2.PdfDocument) -> Iterator[bytes]:
    for page in _pages(document, OCR_PAGES):
        longest = max(*page.get_size(), _MIN_SIDE)
        scale = min(_DOTS_PER_INCH / _POINTS_PER_INCH, PAGE_PX / longest)
        held = io.BytesIO()
        page.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB").save(held, "PNG")
        yield held.getvalue()


def _pages(document: pypdfium2.PdfDocument, count: int) -> Iterator[pypdfium2.PdfPage]:
    """Yield the first *count* pages, without those that cannot be loaded."""
    for number in range(min(len(document), count)):
        with suppress(pypdfium2.PdfiumError), closing(document[number]) as page:
            yield page
