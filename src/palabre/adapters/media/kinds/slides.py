"""Presentations: what stands on each slide, then its notes."""

from collections.abc import Iterable, Iterator

from pptx import Presentation
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.slide import Slide

from palabre.adapters.media.archive_check import checked
from palabre.adapters.media.clip import Clip
from palabre.adapters.media.job import Found, Job


def read(job: Job) -> Found:
    """Read a `.pptx`. python-pptx expands no entity and follows no external relation."""
    slides = Presentation(checked(job.contents[0])).slides
    clip = Clip(job.text_bytes)
    for number, slide in enumerate(slides, start=1):
        lines = list(_lines(slide))
        if lines and not all(map(clip.line, [f"## {number}", *lines])):
            break
    return Found(clip.reading(pages=len(slides)))


def _lines(slide: Slide) -> Iterator[str]:
    yield from _shapes(slide.shapes)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        yield slide.notes_slide.notes_text_frame.text


def _shapes(shapes: Iterable[BaseShape]) -> Iterator[str]:
    for shape in shapes:
        if isinstance(shape, GroupShape):
            yield from _shapes(shape.shapes)
        elif isinstance(shape, GraphicFrame) and shape.has_table:
            for row in shape.table.rows:
                yield " | ".join(" ".join(cell.text.split()) for cell in row.cells)
        elif shape.has_text_frame:
            yield str(shape.text_frame.text)  # type: ignore[attr-defined]
