"""What every `FileReader` does."""

import io
import wave
from collections.abc import AsyncIterator

import pytest
from PIL import Image

from palabre.adapters.media.worker_reader import WorkerFileReader
from palabre.core.media.errors import FileUnreadableError
from palabre.core.media.model import MAX_READ_BYTES
from palabre.core.media.ports import FileReader
from palabre.core.speech.model import SAMPLE_RATE_HZ
from palabre.testing.documents import (
    pdf_file,
    pdf_of,
    picture_file,
    sheet_file,
    slide_file,
    sound_file,
    word_file,
)
from palabre.testing.files import InProcessFileReader, shared_file


@pytest.fixture(params=[InProcessFileReader, WorkerFileReader])
async def reader(request: pytest.FixtureRequest) -> AsyncIterator[FileReader]:
    made: FileReader = request.param()
    yield made
    await made.aclose()


async def test_text_is_read_as_it_is(reader: FileReader) -> None:
    found = await reader.read(shared_file("a.csv", "nom;âge\r\nZoé;7\r\n".encode()))
    assert (found.text, found.is_cut, found.pages) == ("nom;âge\r\nZoé;7\r\n", False, None)


async def test_long_text_is_cut_before_a_character_that_does_not_fit(reader: FileReader) -> None:
    found = await reader.read(shared_file("a.txt", ("x" + "é" * 9000).encode()))
    assert found.text == "x" + "é" * ((MAX_READ_BYTES - 1) // 2)
    assert found.is_cut


async def test_a_text_of_the_greatest_length_is_not_cut(reader: FileReader) -> None:
    found = await reader.read(shared_file("a.txt", b"x" * MAX_READ_BYTES))
    assert (len(found.text), found.is_cut) == (MAX_READ_BYTES, False)


async def test_a_word_document_is_read_with_its_tables_and_margins(reader: FileReader) -> None:
    content = word_file("Un été", "Deux", table=[["a", "b"], ["c", "d"]], footer="Pied")
    found = await reader.read(shared_file("a.docx", content))
    assert found.text == "Un été\nDeux\na | b\nc | d\nPied\n"


async def test_a_workbook_is_read_sheet_by_sheet(reader: FileReader) -> None:
    content = sheet_file(Été=[["nom", None, "prix"], ["thé", 2.5]], Vide=[], Bilan=[[True]])
    found = await reader.read(shared_file("a.xlsx", content))
    assert found.text == "## Été\nnom |  | prix\nthé | 2.5\n## Bilan\nTrue\n"


async def test_a_presentation_is_read_slide_by_slide(reader: FileReader) -> None:
    content = slide_file(("Un", "corps", "note"), ("Deux", "", ""))
    found = await reader.read(shared_file("a.pptx", content))
    assert (found.text, found.pages) == ("## 1\nUn\ncorps\nnote\n## 2\nDeux\n", 2)


async def test_a_pdf_is_read_with_its_pages_and_the_rows_of_its_tables(reader: FileReader) -> None:
    content = pdf_file([["Titre"], ["nom", "prix"], ["thé", "2.50"]], [["Fin"]])
    found = await reader.read(shared_file("a.pdf", content))
    assert found.pages == 2
    pages = [[line.split() for line in page.splitlines()] for page in found.text.split("\f")]
    assert pages == [[["Titre"], ["nom", "prix"], ["thé", "2.50"]], [["Fin"]]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "été;1\n".encode("cp1252") * 90_000),
        ("a.docx", word_file("mot " * 200_000)),
        ("a.pdf", pdf_file(*[[["mot " * 20]] * 50] * 200)),
        ("a.xlsx", sheet_file(a=[["mot", number] for number in range(30_000)])),
    ],
    ids=["csv", "docx", "pdf", "xlsx"],
)
async def test_more_text_than_personas_get_is_read_on_demand(
    reader: FileReader, name: str, content: bytes
) -> None:
    cut = await reader.read(shared_file(name, content))
    whole = await reader.read(shared_file(name, content), text_bytes=2_000_000)
    assert (cut.is_cut, whole.is_cut) == (True, False)
    assert len(whole.text) > 200_000
    assert whole.text.startswith(cut.text)


async def test_a_picture_is_made_smaller_and_encoded_anew(reader: FileReader) -> None:
    found = await reader.read(shared_file("a.jpg", picture_file("JPEG", (3000, 1500))))
    assert found.picture is not None
    assert (found.picture.width_px, found.picture.height_px) == (1568, 784)
    with Image.open(io.BytesIO(found.picture.content)) as image:
        assert (image.size, Image.MIME[image.format or ""]) == ((1568, 784), found.picture.mime)


async def test_a_recording_becomes_what_transcribers_take(reader: FileReader) -> None:
    found = await reader.read(shared_file("a.wav", sound_file(length_s=2)))
    assert found.wav is not None
    with wave.open(io.BytesIO(found.wav)) as sound:
        shape = (sound.getnchannels(), sound.getsampwidth(), sound.getframerate())
        assert shape == (1, 2, SAMPLE_RATE_HZ)
        assert sound.getnframes() == pytest.approx(2 * SAMPLE_RATE_HZ, rel=0.01)


WORD = word_file("x")
SECRET = pdf_of(
    [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 0/Kids[]>>"],
    b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O(%b)/U(%b)>>/ID[(a)(b)]" % (b"o" * 32, b"u" * 32),
)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        pytest.param("a.txt", b" \n\t\n", "blank", id="blank text"),
        pytest.param("a.txt", bytes(range(256)) * 9, "binary", id="binary text"),
        pytest.param("a.docx", WORD[:5000] + bytes(900) + WORD[5900:], "damaged", id="word"),
        pytest.param("a.xlsx", sheet_file(Vide=[]), "blank", id="blank workbook"),
        pytest.param("a.pdf", b"%PDF-1.7 and nothing else", "damaged", id="pdf"),
        pytest.param("a.pdf", SECRET, "password", id="secret pdf"),
        pytest.param("a.png", picture_file()[:60], "damaged", id="picture"),
        pytest.param("a.mp3", b"ID3\x04" + bytes(60), "damaged", id="sound"),
    ],
)
async def test_what_cannot_be_read_is_told_with_its_reason(
    reader: FileReader, name: str, content: bytes, reason: str
) -> None:
    with pytest.raises(FileUnreadableError) as caught:
        await reader.read(shared_file(name, content))
    assert caught.value.reason == f"file_reason.{reason}"


async def test_a_reader_goes_on_after_a_file_that_it_could_not_read(reader: FileReader) -> None:
    with pytest.raises(FileUnreadableError):
        await reader.read(shared_file("a.txt", b"\0" * 99))
    assert (await reader.read(shared_file("a.txt", b"hello"))).text == "hello"


async def test_closing_twice_does_no_harm(reader: FileReader) -> None:
    await reader.read(shared_file("a.txt", b"hello"))
    await reader.aclose()
    await reader.aclose()
