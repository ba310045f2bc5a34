"""What a file is."""

import io
import json
import zipfile

import pytest

from palabre.adapters.media.signature_typer import HEAD_BYTES, SignatureFileTyper
from palabre.core.media.errors import (
    ExtensionMissingError,
    ExtensionRefusedError,
    FileRefusedError,
)
from palabre.core.media.model import FileKind

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
OOXML = "application/vnd.openxmlformats-officedocument"


def zipped(*names: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in names:
            archive.writestr(name, b"<x/>")
    return held.getvalue()


@pytest.mark.parametrize(
    ("content", "kind", "mime"),
    [
        (PNG, FileKind.IMAGE, "image/png"),
        (b"\xff\xd8\xff\xe0" + b"\0" * 20, FileKind.IMAGE, "image/jpeg"),
        (b"GIF89a" + b"\0" * 20, FileKind.IMAGE, "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", FileKind.IMAGE, "image/webp"),
        (b"RIFF\x10\0\0\0WAVEfmt ", FileKind.AUDIO, "audio/x-wav"),
        (b"ID3\x04\0\0\0\0\0\0", FileKind.AUDIO, "audio/mpeg"),
        (b"\xff\xfb\x90\x64" + b"\0" * 20, FileKind.AUDIO, "audio/mpeg"),
        (b"\xff\xfa\x90\x64" + b"\0" * 20, FileKind.AUDIO, "audio/mpeg"),
        (b"OggS\0\x02" + b"\0" * 20, FileKind.AUDIO, "audio/ogg"),
        (b"\0\0\0\x20ftypM4A \0\0\0\0", FileKind.AUDIO, "audio/mp4"),
        (b"fLaC\0\0\0\x22", FileKind.AUDIO, "audio/x-flac"),
        (b"%PDF-1.7\n", FileKind.PDF, "application/pdf"),
    ],
)
def test_first_bytes_say_what_a_file_is_whatever_its_name(
    content: bytes, kind: FileKind, mime: str
) -> None:
    found = SignatureFileTyper().type_of("liar.txt", content)
    assert (found.kind, found.mime) == (kind, mime)


@pytest.mark.parametrize(
    ("folder", "mime", "extension"),
    [
        ("word/document.xml", f"{OOXML}.wordprocessingml.document", "docx"),
        ("xl/workbook.xml", f"{OOXML}.spreadsheetml.sheet", "xlsx"),
        ("ppt/presentation.xml", f"{OOXML}.presentationml.presentation", "pptx"),
    ],
)
@pytest.mark.parametrize("is_last", [False, True])
def test_documents_are_known_in_any_order_of_entries(
    folder: str, mime: str, extension: str, is_last: bool
) -> None:
    padding = [f"customXml/item{n}.xml" for n in range(200)]
    names = [*padding, folder, "[Content_Types].xml"]
    content = zipped(*(names if is_last else reversed(names)))
    found = SignatureFileTyper().type_of("x", content)
    assert (found.kind, found.mime, found.extension) == (FileKind.DOCUMENT, mime, extension)


@pytest.mark.parametrize(
    ("name", "content", "mime"),
    [
        ("a.docx", zipped("word/document.xml"), "application/zip"),
        ("a.zip", zipped("a.txt"), "application/zip"),
        ("a.docx", b"PK\x03\x04" + b"\0" * 60, "application/zip"),
        ("a.docx", b"PK\x03\x04" + b"PK\x05\x06" + b"\xff" * 18, "application/zip"),
        ("a.txt", b"MZ\x90\0\x03", "application/x-msdownload"),
        ("a.txt", b"{\\rtf1 hello}", "application/rtf"),
        ("a.mp4", b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41", "video/mp4"),
        ("a.txt", b"BM\x10\0\0\0\0\0", "image/bmp"),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 17 + b"\0\0\0\x08acTL", "image/apng"),
    ],
)
def test_other_signatures_are_refused_by_their_type(name: str, content: bytes, mime: str) -> None:
    with pytest.raises(FileRefusedError) as caught:
        SignatureFileTyper().type_of(name, content)
    assert caught.value.data == {"mime": mime}


@pytest.mark.parametrize(
    ("name", "mime"),
    [
        ("a.TXT", "text/plain"),
        ("a.b.md", "text/markdown"),
        ("a.csv", "text/csv"),
        ("a.json", "application/json"),
        ("a.jsonl", "application/json"),
        *((f"a.{extension}", "text/plain") for extension in ("xml", "html", "yml", "yaml", "toml")),
    ],
)
def test_without_a_signature_the_extension_says_which_text_it_is(name: str, mime: str) -> None:
    found = SignatureFileTyper().type_of(name, b'<?xml version="1.0"?><svg/>')
    assert (found.kind, found.mime) == (FileKind.TEXT, mime)


@pytest.mark.parametrize(
    ("name", "extension"),
    [
        ("a.svg", "svg"),
        ("a.exe", "exe"),
        (".env", "env"),
        ("a.\x1b[31m" + "x" * 90, "[31m" + "x" * 16),
    ],
)
def test_other_extensions_are_refused_without_a_signature(name: str, extension: str) -> None:
    with pytest.raises(ExtensionRefusedError) as caught:
        SignatureFileTyper().type_of(name, b"<svg><script>alert(1)</script></svg>")
    assert caught.value.data == {"extension": extension}


@pytest.mark.parametrize("name", ["README", "", "ends."])
def test_a_name_without_extension_is_told_so(name: str) -> None:
    with pytest.raises(ExtensionMissingError):
        SignatureFileTyper().type_of(name, b"hello")


@pytest.mark.parametrize("start", ["BMW et Citroën", "MZ est un préfixe", "SQLi en six leçons"])
def test_text_whose_letters_look_like_a_signature_stays_text(start: str) -> None:
    content = (start + " é" * HEAD_BYTES).encode()
    assert SignatureFileTyper().type_of("a.txt", content).kind is FileKind.TEXT


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"GIF89a=1;alert(document.cookie);//", FileKind.IMAGE),
        (b"%PDF-1.4\n" + zipped("[Content_Types].xml", "word/document.xml"), FileKind.PDF),
        (b"\xff\xd8\xff\xe0" + b"\0" * 99 + zipped("evil.html"), FileKind.IMAGE),
    ],
)
def test_two_files_in_one_are_what_their_first_bytes_say(content: bytes, kind: FileKind) -> None:
    assert SignatureFileTyper().type_of("a.html", content).kind is kind


def test_a_document_behind_another_text_is_no_document() -> None:
    content = json.dumps("x" * 100).encode() + zipped("[Content_Types].xml", "word/document.xml")
    assert SignatureFileTyper().type_of("a.json", content).kind is FileKind.TEXT
