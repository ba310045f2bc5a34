"""PDF: the text layer; pictures of the first pages when there is none."""

import io
from collections.abc import Iterator
from contextlib import closing

import pypdfium2
from pypdfium2.raw import FPDF_ERR_PASSWORD

from palabre.adapters.media.clip import Clip
from palabre.adapters.media.job import Found, Job
from palabre.core.media.errors import FileUnreadableError
from palabre.core.media.model import Reading

MAX_PAGES = 5000
READ_PAGES = 200
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
        clip = Clip()
        clip.is_cut = not all(map(clip.line, _lines(document))) or pages > READ_PAGES
        if clip.text.strip():
            return Found(clip.reading(pages=pages))
        return Found(Reading(pages=pages, is_cut=pages > OCR_PAGES), _pictures(document))


def _opened(content: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == FPDF_ERR_PASSWORD:
            raise FileUnreadableError("file_reason.password") from error
        raise FileUnreadableError("file_reason.damaged") from error


def _lines(document: pypdfium2.PdfDocument) -> Iterator[str]:
    """Yield the lines of text; a table's row is one line."""
    for number in range(min(len(document), READ_PAGES)):
        with closing(document[number]) as page, closing(page.get_textpage()) as text:
            yield from text.get_text_bounded().splitlines()


def _pictures(document: pypdfium2.PdfDocument) -> tuple[bytes, ...]:
    return tuple(_picture(document, number) for number in range(min(len(document), OCR_PAGES)))


def _picture(document: pypdfium2.PdfDocument, number: int) -> bytes:
    with closing(document[number]) as page:
        longest = max(*page.get_size(), _MIN_SIDE)
        scale = min(_DOTS_PER_INCH / _POINTS_PER_INCH, PAGE_PX / longest)
        held = io.BytesIO()
        page.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB").save(held, "PNG")
        return held.getvalue()
