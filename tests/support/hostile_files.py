"""Files that are made to harm who reads them."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from functools import cache

from palabre.testing.documents import (
    pdf_file,
    pdf_of,
    picture_file,
    sheet_file,
    sound_file,
    word_file,
)

MIB = 1024 * 1024
_CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
_PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>"


def _deflated(pieces: Iterator[bytes]) -> bytes:
    packer = zlib.compressobj(9)
    return b"".join(map(packer.compress, pieces)) + packer.flush()


def _repeated(piece: bytes, size_bytes: int) -> Iterator[bytes]:
    block = piece * (MIB // len(piece))
    return (block for _ in range(size_bytes // len(block)))


def _with(document: bytes, name: str, content: bytes) -> bytes:
    """Return the archive *document* with other content for its entry *name*, or with that too."""
    source, held = zipfile.ZipFile(io.BytesIO(document)), io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in dict.fromkeys([*source.namelist(), name]):
            method = zipfile.ZIP_STORED if entry.endswith(".zip") else zipfile.ZIP_DEFLATED
            target.writestr(entry, content if entry == name else source.read(entry), method)
    return held.getvalue()


def _zeros(megabytes: int) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        _pour(archive, "zeros.bin", megabytes)
    return held.getvalue()


def _pour(archive: zipfile.ZipFile, name: str, megabytes: int) -> None:
    with archive.open(name, "w") as entry:
        for piece in _repeated(b"\0", megabytes * MIB):
            entry.write(piece)


def zip_bomb() -> bytes:
    return _zeros(200)


@cache
def word_bomb() -> bytes:
    held = io.BytesIO(word_file("x"))
    with zipfile.ZipFile(held, "a", zipfile.ZIP_DEFLATED) as archive:
        _pour(archive, "word/media/image1.png", 300)
    return held.getvalue()


def word_with_nested_bomb() -> bytes:
    inner = _zeros(300)
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as archive:
        for number in range(9):
            archive.writestr(f"{number}.zip", inner)
    return _with(word_file("Le texte est sain"), "word/embeddings/a.zip", outer.getvalue())


def word_with_lying_sizes() -> bytes:
    """An archive whose directory says that its parts are small."""
    content = bytearray(word_bomb())
    place = content.rfind(b"PK\x01\x02")
    struct.pack_into("<I", content, place + 24, 100)
    return bytes(content)


def word_with_entities() -> bytes:
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 11))
    body = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{laughs}]><x>&a10;</x>'
    return _with(word_file("x"), "word/document.xml", body.encode())


def word_with_entities_in_utf16() -> bytes:
    body = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'
    return _with(word_file("x"), "word/document.xml", body.encode("utf-16"))


def word_with_external_relations(port: int) -> bytes:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    added = "".join(
        f'<Relationship Id="rIdX{n}" TargetMode="External" Type="{kind}/{name}" '
        f'Target="http://127.0.0.1:{port}/{name}"/>'
        for n, name in enumerate(("attachedTemplate", "image", "footnotes", "header"))
    )
    document, name = word_file("Le texte est sain"), "word/_rels/document.xml.rels"
    with zipfile.ZipFile(io.BytesIO(document)) as archive:
        relations = archive.read(name).decode()
    end = "</Relationships>"
    return _with(document, name, relations.replace(end, added + end).encode())


def deep_word() -> bytes:
    body = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    return _with(word_file("x"), "word/document.xml", body + b"<w:body>" * 100_000)


def large_word() -> bytes:
    """90 MB of words, in a shape that packs no better than honest text."""
    paragraphs = (f"<w:p><w:r><w:t>{n * n}</w:t></w:r></w:p>" for n in range(1_500_000))
    start = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    body = f"{start}<w:body>{''.join(paragraphs)}</w:body></w:document>"
    return _with(word_file("x"), "word/document.xml", body.encode())


def sheet_bomb() -> bytes:
    row = b'<row><c><v>12345</v></c><c t="inlineStr"><is><t>abcdefgh</t></is></c></row>'
    start = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    body = start + b"<sheetData>" + row * (220 * MIB // len(row)) + b"</sheetData></worksheet>"
    return _with(sheet_file(a=[[1]]), "xl/worksheets/sheet1.xml", body)


def far_sheet() -> bytes:
    """One cell in the last row of the last column."""
    start = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    cell = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    dimension = b'<dimension ref="A1:XFD1048576"/>'
    body = start + dimension + b"<sheetData>" + cell + b"</sheetData></worksheet>"
    return _with(sheet_file(a=[[1]]), "xl/worksheets/sheet1.xml", body)


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


@cache
def pixel_bomb() -> bytes:
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 1, 0, 0, 0, 0)
    rows = _deflated(_repeated(b"\0", 60_000 * 7501))
    parts = _chunk(b"IHDR", header) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def text_chunk_bomb() -> bytes:
    header = struct.pack(">IIBBBBB", 9, 9, 8, 0, 0, 0, 0)
    words = b"a\0\0" + _deflated(_repeated(b"a", 400 * MIB))
    parts = _chunk(b"IHDR", header) + _chunk(b"zTXt", words) * 3 + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def many_frames() -> bytes:
    frame = b"\x21\xf9\x04\0\0\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0"
    start = b"GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\0\0\xff"
    return start + frame * 100_000 + b"\x3b"


def many_pages() -> bytes:
    kids = b" ".join(b"%d 0 R" % (n + 3) for n in range(100_000))
    pages = b"<</Type/Pages/Count 100000/Kids[%b]>>" % kids
    return pdf_of([_CATALOG, pages, *[b"<</Type/Page/Parent 2 0 R>>"] * 100_000])


def lying_page_count() -> bytes:
    pages = b"<</Type/Pages/Count 4999/Kids[3 0 R]>>"
    return pdf_of([_CATALOG, pages, b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"])


def page_loop() -> bytes:
    return pdf_of(
        [
            _CATALOG,
            b"<</Type/Pages/Count 9/Kids[3 0 R 2 0 R]>>",
            b"<</Type/Pages/Count 9/Parent 2 0 R/Kids[2 0 R 3 0 R]>>",
        ]
    )


def deep_pdf() -> bytes:
    depth = 200_000
    nested = b"<</Type/Pages/Count 1/Kids" + b"[" * depth + b"]" * depth + b">>"
    return pdf_of([_CATALOG, nested])


@cache
def stream_bomb() -> bytes:
    """A page whose content inflates twice: 10 kB, then a megabyte, then half a gigabyte."""
    once = _deflated(_repeated(b"q 1 0 0 1 0 0 cm ", 512 * MIB))
    twice = zlib.compress(once, 9)
    stream = b"<</Filter[/FlateDecode/FlateDecode]/Length %d>>stream\n%b\nendstream"
    pages = b"<</Type/Pages/Count 1/Kids[3 0 R]>>"
    return pdf_of([_CATALOG, pages, _PAGE, stream % (len(twice), twice)])


def endless_drawing() -> bytes:
    """A page without text, whose picture takes for ever to draw."""
    work = b"0 0 9000 9000 re 5 5 8000 8000 re f* 1 1 m 9 99 999 9 9 9 c S "
    drawing = _deflated(_repeated(work, 16 * MIB))
    stream = b"<</Filter/FlateDecode/Length %d>>stream\n%b\nendstream" % (len(drawing), drawing)
    pages = b"<</Type/Pages/Count 1/Kids[3 0 R]>>"
    return pdf_of([_CATALOG, pages, _PAGE, stream])


def huge_page() -> bytes:
    pages = b"<</Type/Pages/Count 1/Kids[3 0 R]>>"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 1e30 1e30]/UserUnit 1e9>>"
    return pdf_of([_CATALOG, pages, page])


def pdf_and_archive() -> bytes:
    return pdf_file([["Le texte est sain"]]) + word_bomb()


def picture_and_script() -> bytes:
    return b"GIF89a/*" + b"A" * 900 + b"*/=1;alert(document.cookie);//"


def picture_and_archive() -> bytes:
    return picture_file("JPEG") + word_file("secret")


def script_in_picture() -> bytes:
    return b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def _wave(riff_bytes: int, data_bytes: int, *, channels: int = 1, rate_hz: int = 16_000) -> bytes:
    form = struct.pack("<HHIIHH", 1, channels, rate_hz, rate_hz * 2 % 2**32, 2, 16)
    head = b"RIFF" + struct.pack("<I", riff_bytes) + b"WAVEfmt " + struct.pack("<I", 16) + form
    return head + b"data" + struct.pack("<I", data_bytes) + bytes(32_000)


def endless_wave() -> bytes:
    return _wave(0xFFFFFFFF, 0xFFFFFFFF)


def negative_wave() -> bytes:
    return _wave(0x80000000, 0x80000000)


def short_wave() -> bytes:
    return _wave(36 + 900_000_000, 900_000_000)


def odd_wave() -> bytes:
    return _wave(36, 0xFFFFFFFF, channels=65_535, rate_hz=0xFFFFFFFF)


def silent_hours() -> bytes:
    """A WAV of 8 bit and 1 000 samples a second: three hours."""
    form = struct.pack("<HHIIHH", 1, 1, 1000, 1000, 1, 8)
    head = b"RIFF" + struct.pack("<I", 11_000_036) + b"WAVEfmt " + struct.pack("<I", 16) + form
    return head + b"data" + struct.pack("<I", 11_000_000) + b"\x80" * 11_000_000


def absurd_flac() -> bytes:
    info = struct.pack(">HH", 65_535, 65_535) + b"\xff" * 30
    picture = b"\x06\xff\xff\xff" + b"\xff" * 64
    return b"fLaC" + b"\0\0\0\x22" + info + picture


def absurd_ogg() -> bytes:
    page = b"OggS\0\x02" + b"\xff" * 16 + b"\xff\xff\xff\xff" + b"\xff" + b"\xff" * 255
    head = b"\x01vorbis" + struct.pack("<IBIiiiBB", 0, 255, 0xFFFFFFFF, -1, -1, -1, 0xFF, 1)
    return page + head + b"\xff" * 4000


def absurd_mp4() -> bytes:
    kind = struct.pack(">I", 32) + b"ftypM4A \0\0\0\0M4A mp42isom\0\0\0\0"
    table = struct.pack(">I4sII", 24, b"stsz", 0, 0) + struct.pack(">I", 0xFFFFFFFF)
    boxes = table
    for name in (b"stbl", b"minf", b"mdia", b"trak", b"moov"):
        boxes = struct.pack(">I4s", len(boxes) + 8, name) + boxes
    return kind + boxes + struct.pack(">I4sQ", 1, b"mdat", 0x7FFFFFFFFFFFFFFF)


def deep_mp4() -> bytes:
    kind = struct.pack(">I", 32) + b"ftypM4A \0\0\0\0M4A mp42isom\0\0\0\0"
    depth = 100_000
    sizes = (struct.pack(">I4s", 8 * (depth - n), b"moov") for n in range(depth))
    return kind + b"".join(sizes)


def deep_json() -> bytes:
    return b"[" * 100_000 + b"]" * 100_000


def nothing_but_nul() -> bytes:
    return bytes(5 * MIB)


def chinese() -> bytes:
    return ("人工智能是计算机科学的一个分支。" * 5000).encode("gb18030")


def cut_sound() -> bytes:
    return sound_file()[:-1001]
