from pathlib import Path

import pytest

from palabre.adapters.knowledge.errors import (
    SourceCutError,
    SourceTooLargeError,
    SourceUnreadableError,
)
from palabre.adapters.knowledge.files import MAX_FILE_MB, DocumentFiles, decoded, files_in, named
from palabre.adapters.media.signature_typer import SignatureFileTyper
from palabre.core.media.model import Reading, SharedFile


class GivenReader:
    """Reads every file as the test says."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.read_names: list[str] = []

    async def read(self, file: SharedFile, *, ocr: bool = False, text_bytes: int = 0) -> Reading:
        self.read_names.append(file.name)
        return self.reading

    async def aclose(self) -> None:
        """Do nothing."""


def files(reading: Reading = Reading()) -> DocumentFiles:  # noqa: B008 - frozen
    return DocumentFiles(SignatureFileTyper(), GivenReader(reading))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
async def test_a_text_is_read_in_any_usual_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "été.md"
    words = "# Été à la mer\r\n\r\nLes élèves dînèrent à l'auberge, près du chêne.\r\n" * 5
    path.write_bytes(words.encode(encoding))
    text = await files().read(path)
    assert text.title == "Été à la mer"
    assert text.source == str(path.resolve())
    assert text.text == words.replace("\r\n", "\n")


async def test_a_title_that_is_given_wins_and_a_text_without_heading_is_named_like_its_file(
    tmp_path: Path,
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Sans titre.", "utf-8")
    assert (await files().read(path)).title == "notes"
    assert (await files().read(path, "Mes notes")).title == "Mes notes"


async def test_other_files_are_read_by_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.4\n")
    text = await files(Reading("Page une.\fPage deux.", pages=2)).read(path)
    assert (text.title, text.page_starts) == ("a", (0, 10))


async def test_a_file_whose_end_would_be_lost_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.4\n")
    with pytest.raises(SourceCutError) as caught:
        await files(Reading("début", is_cut=True)).read(path)
    assert caught.value.data == {"path": str(path)}


async def test_what_is_no_document_is_refused_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadableError) as caught:
        await files().read(tmp_path / "absent.md")
    assert caught.value.data["detail"] == "No such file or directory"
    picture = tmp_path / "a.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 32)
    with pytest.raises(SourceUnreadableError):
        await files().read(picture)


async def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as hole:
        hole.truncate(MAX_FILE_MB * 1000**2 + 1)
    with pytest.raises(SourceTooLargeError):
        await files().read(path)


def test_pages_begin_after_form_feeds() -> None:
    assert named("un\fdeux\f", "s", "t").page_starts == (0, 3)
    assert named("un", "s", "t").page_starts == ()


def test_only_the_first_line_is_a_title() -> None:
    assert named("\n## Été ##\ntexte", "s", "t").title == "Été"
    assert named("texte\n# Plus bas", "s", "t").title == "t"


def test_a_folder_gives_its_documents_in_order(tmp_path: Path) -> None:
    for name in ("b.md", "a.PDF", "sub/c.txt", ".git/d.md", "e.exe", "sub/.f.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = [path.relative_to(tmp_path).as_posix() for path in files_in(tmp_path)]
    assert found == ["a.PDF", "b.md", "sub/c.txt"]
    assert files_in(tmp_path / "b.md") == [tmp_path / "b.md"]


def test_lines_end_as_on_unix() -> None:
    assert decoded("s", b"a\r\nb\rc") == "a\nb\nc"
