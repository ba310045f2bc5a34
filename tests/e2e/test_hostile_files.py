"""A hostile file costs little, gets one clear line, and harms nobody else."""

import asyncio
import resource
import socket
import time
from collections.abc import AsyncIterator, Callable

import pytest
from tests.support import hostile_files as hostile
from tests.support.workers import watched, workers

from palabre.adapters.media.worker_reader import WorkerFileReader, has_ocr
from palabre.core.media.errors import FileUnreadableError
from palabre.core.media.model import Reading
from palabre.kernel.errors import PalabreError
from palabre.testing.documents import picture_file
from palabre.testing.files import shared_file
from palabre.texts import LANGUAGES, say

pytestmark = pytest.mark.e2e

MAX_MB = 300
MAX_OCR_MB = 450
MAX_S = 10
CROWDED = 6
"""How much longer a second of computing may take where other tests run beside us."""

N_WORKERS = 2
HONEST = shared_file("honest.txt", b"Ceci se lit.")


@pytest.fixture
async def reader() -> AsyncIterator[WorkerFileReader]:
    made = WorkerFileReader()
    yield made
    await made.aclose()
    assert workers() == []


async def outcome(reader: WorkerFileReader, name: str, content: bytes) -> Reading | PalabreError:
    try:
        return await reader.read(shared_file(name, content))
    except PalabreError as error:
        return error


def computed_by_workers_s() -> float:
    """Return the seconds of computing of all children that ended."""
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def reason_of(found: Reading | PalabreError) -> str:
    """Return why a file is not read, having seen that it is one line in each language."""
    assert isinstance(found, PalabreError)
    lines = [say(found.text, language) for language in LANGUAGES]
    assert all(0 < len(line) < 250 and "\n" not in line for line in lines)
    assert lines[0] != lines[1]
    return found.reason.rpartition(".")[2] if isinstance(found, FileUnreadableError) else found.code


REFUSED: list[tuple[Callable[[], bytes], str, set[str]]] = [
    (hostile.zip_bomb, "a.zip", {"file_refused"}),
    (hostile.word_bomb, "a.docx", {"inflates"}),
    (hostile.word_with_lying_sizes, "a.docx", {"damaged"}),
    (hostile.word_with_entities, "a.docx", {"entities"}),
    (hostile.word_with_entities_in_utf16, "a.docx", {"entities"}),
    (hostile.deep_word, "a.docx", {"damaged"}),
    (hostile.large_word, "a.docx", {"memory"}),
    (hostile.sheet_bomb, "a.xlsx", {"inflates"}),
    (hostile.far_sheet, "a.xlsx", {"blank"}),
    (hostile.pixel_bomb, "a.png", {"pixels"}),
    (hostile.text_chunk_bomb, "a.png", {"damaged"}),
    (hostile.picture_and_script, "a.html", {"damaged", "pixels"}),
    (hostile.many_pages, "a.pdf", {"pages"}),
    (hostile.page_loop, "a.pdf", {"damaged"}),
    (hostile.deep_pdf, "a.pdf", {"damaged"}),
    (hostile.stream_bomb, "a.pdf", {"hostile", "memory"}),
    (hostile.endless_drawing, "a.pdf", {"time"}),
    (hostile.script_in_picture, "a.svg", {"extension_refused"}),
    (hostile.odd_wave, "a.wav", {"damaged", "no_sound"}),
    (hostile.absurd_flac, "a.flac", {"damaged", "no_sound"}),
    (hostile.absurd_ogg, "a.ogg", {"damaged", "no_sound"}),
    (hostile.absurd_mp4, "a.m4a", {"damaged", "no_sound"}),
    (hostile.deep_mp4, "a.m4a", {"damaged", "no_sound", "hostile"}),
    (hostile.nothing_but_nul, "a.txt", {"binary"}),
]


@pytest.mark.parametrize(
    ("make", "name", "reasons"), REFUSED, ids=[make.__name__ for make, _, _ in REFUSED]
)
async def test_a_hostile_file_costs_little_and_gets_one_clear_line(
    reader: WorkerFileReader, make: Callable[[], bytes], name: str, reasons: set[str]
) -> None:
    content = make()
    with watched() as seen:
        start_s, computed_s = time.monotonic(), computed_by_workers_s()
        found = await outcome(reader, name, content)
        took_s = time.monotonic() - start_s
        assert (await reader.read(HONEST)).text == "Ceci se lit."
    assert reason_of(found) in reasons
    assert computed_by_workers_s() - computed_s < MAX_S
    assert took_s < MAX_S * CROWDED
    assert 0 < seen.most_mb < MAX_MB


READ: list[tuple[Callable[[], bytes], str, str]] = [
    (hostile.word_with_nested_bomb, "a.docx", "Le texte est sain\n"),
    (hostile.pdf_and_archive, "a.pdf", "Le texte est sain\n"),
    (hostile.script_in_picture, "a.xml", hostile.script_in_picture().decode()),
    (hostile.deep_json, "a.json", "[" * 12_000),
    (hostile.chinese, "a.txt", "人工智能是计算机科学的一个分支。" * 250),
]


@pytest.mark.parametrize(("make", "name", "text"), READ, ids=[make.__name__ for make, _, _ in READ])
async def test_what_looks_hostile_is_read_as_what_it_is_and_no_more(
    reader: WorkerFileReader, make: Callable[[], bytes], name: str, text: str
) -> None:
    content = make()
    with watched() as seen:
        found = await reader.read(shared_file(name, content))
    assert found.text == text
    assert 0 < seen.most_mb < MAX_MB


@pytest.mark.parametrize(
    ("make", "seconds"),
    [
        (hostile.endless_wave, 1),
        (hostile.negative_wave, 1),
        (hostile.short_wave, 1),
        (hostile.silent_hours, 600),
        (hostile.cut_sound, 1),
    ],
)
async def test_sizes_in_a_recording_that_lie_do_no_harm(
    reader: WorkerFileReader, make: Callable[[], bytes], seconds: int
) -> None:
    content = make()
    with watched() as seen:
        found = await reader.read(shared_file("a.wav", content))
    assert found.wav is not None
    assert len(found.wav) == pytest.approx(seconds * 32_000, rel=0.02)
    assert 0 < seen.most_mb < MAX_MB


@pytest.mark.parametrize("make", [hostile.many_frames, hostile.picture_and_archive])
async def test_only_the_first_picture_of_a_file_is_kept(
    reader: WorkerFileReader, make: Callable[[], bytes]
) -> None:
    content = make()
    with watched() as seen:
        found = await reader.read(shared_file("a.png", content))
    assert found.picture is not None
    assert b"PK\x03\x04" not in found.picture.content
    assert 0 < seen.most_mb < MAX_MB


@pytest.mark.skipif(not has_ocr(), reason="the extra `ocr` is not installed")
@pytest.mark.parametrize("make", [hostile.huge_page, hostile.lying_page_count])
async def test_pages_of_no_sense_are_blank_to_ocr(
    reader: WorkerFileReader, make: Callable[[], bytes]
) -> None:
    with watched() as seen:
        found = await outcome(reader, "a.pdf", make())
    assert reason_of(found) == "blank"
    file_mb, ocr_mb = seen.peak_mb.values()
    assert file_mb < MAX_MB
    assert ocr_mb < MAX_OCR_MB


@pytest.mark.skipif(not has_ocr(), reason="the extra `ocr` is not installed")
async def test_words_in_a_scan_and_in_a_picture_are_read(reader: WorkerFileReader) -> None:
    words = "Le rendez-vous est fixe au jardin"
    scan = await reader.read(shared_file("a.pdf", picture_file("PDF", (900, 400), words)))
    assert (scan.text.strip(), scan.pages) == (words, 1)
    picture = shared_file("a.png", picture_file("PNG", (900, 400), words))
    assert (await reader.read(picture, ocr=True)).text.strip() == words
    assert not (await reader.read(picture)).text


async def test_a_document_that_points_elsewhere_fetches_nothing(reader: WorkerFileReader) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        content = hostile.word_with_external_relations(listener.getsockname()[1])
        found = await reader.read(shared_file("a.docx", content))
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert found.text == "Le texte est sain\n"


async def test_twenty_hostile_files_at_once_never_have_more_than_their_workers(
    reader: WorkerFileReader,
) -> None:
    bombs = [hostile.word_bomb(), hostile.stream_bomb(), hostile.pixel_bomb(), bytes(hostile.MIB)]
    names = ["a.docx", "a.pdf", "a.png", "a.txt"]
    with watched() as seen:
        found = await asyncio.gather(
            *(outcome(reader, names[n % 4], bombs[n % 4]) for n in range(20)), reader.read(HONEST)
        )
    assert [reason_of(each) for each in found[:4]] == ["inflates", "hostile", "pixels", "binary"]
    assert isinstance(found[-1], Reading)
    assert 0 < seen.at_once <= N_WORKERS
    assert seen.most_mb < MAX_MB
