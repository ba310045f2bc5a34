"""Small honest documents of each kind."""

import io
import math
import wave
from collections.abc import Sequence

import docx
import openpyxl
import pptx
from PIL import Image, ImageDraw, ImageFont

_FONT = "<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>"


def word_file(*paragraphs: str, table: Sequence[Sequence[str]] = (), footer: str = "") -> bytes:
    """Return a `.docx`: the paragraphs, then the table, and on each page the footer."""
    document = docx.Document()
    for words in paragraphs:
        document.add_paragraph(words)
    if table:
        grid = document.add_table(len(table), len(table[0]))
        for row, values in zip(grid.rows, table, strict=True):
            for cell, value in zip(row.cells, values, strict=True):
                cell.text = value
    if footer:
        document.sections[0].footer.paragraphs[0].text = footer
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


def sheet_file(**sheets: Sequence[Sequence[object]]) -> bytes:
    """Return a `.xlsx` with the rows of each sheet, by its name."""
    book = openpyxl.Workbook(write_only=True)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


def slide_file(*slides: tuple[str, str, str]) -> bytes:
    """Return a `.pptx`: title, words and notes of each slide."""
    presentation = pptx.Presentation()
    for title, words, notes in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = words
        slide.notes_slide.notes_text_frame.text = notes
    held = io.BytesIO()
    presentation.save(held)
    return held.getvalue()


def pdf_file(*pages: Sequence[Sequence[str]]) -> bytes:
    """Return a PDF: lines of cells of each page, set 120 points apart."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>", "", _FONT]
    kids = []
    for lines in pages:
        stream = "".join(_cells(number, line) for number, line in enumerate(lines))
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
        objects.append(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]"
            f"/Resources<</Font<</F 3 0 R>>>>/Contents {len(objects)} 0 R>>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<</Type/Pages/Count {len(pages)}/Kids[{' '.join(kids)}]>>"
    return pdf_of([entry.encode("latin-1") for entry in objects])


def pdf_of(objects: Sequence[bytes], extra: bytes = b"") -> bytes:
    """Return a PDF of *objects*, numbered from 1; *extra* joins the trailer."""
    body, places = bytearray(b"%PDF-1.5\n"), []
    for number, entry in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, entry)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    size, start = len(objects) + 1, len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, rows)
    body += b"trailer<</Root 1 0 R/Size %d%b>>\nstartxref\n%d\n%%%%EOF" % (size, extra, start)
    return bytes(body)


def picture_file(form: str = "PNG", size: tuple[int, int] = (320, 200), words: str = "") -> bytes:
    """Return a picture of *words* on white."""
    image = Image.new("RGB", size, "white")
    font = ImageFont.load_default(32)
    ImageDraw.Draw(image).text((20, 20), words, fill="black", font=font)
    held = io.BytesIO()
    image.save(held, form)
    return held.getvalue()


def sound_file(length_s: float = 1.0, rate_hz: int = 44_100, channels: int = 2) -> bytes:
    """Return a WAV of a steady tone."""
    count = round(length_s * rate_hz)
    tone = (round(9000 * math.sin(440 * math.tau * place / rate_hz)) for place in range(count))
    held = io.BytesIO()
    with wave.open(held, "wb") as target:
        target.setnchannels(channels)
        target.setsampwidth(2)
        target.setframerate(rate_hz)
        target.writeframes(b"".join(v.to_bytes(2, "little", signed=True) * channels for v in tone))
    return held.getvalue()


def _cells(number: int, cells: Sequence[str]) -> str:
    height = 800 - 14 * number
    shown = (cell.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for cell in cells)
    return "".join(
        f"BT /F 10 Tf {40 + 120 * place} {height} Td ({cell}) Tj ET\n"
        for place, cell in enumerate(shown)
    )
