"""Archives, before anybody opens them as documents."""

import io
import zipfile
from collections.abc import Mapping

import pytest

from palabre.adapters.media import archive_check
from palabre.adapters.media.archive_check import MAX_ENTRIES, MAX_RATIO, MIB, checked
from palabre.core.media.errors import FileUnreadableError
from palabre.testing.documents import sheet_file, slide_file, word_file


def archive(entries: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as target:
        for name, content in entries.items():
            target.writestr(name, content)
    return held.getvalue()


def reason(content: bytes) -> str:
    with pytest.raises(FileUnreadableError) as caught:
        checked(content)
    return caught.value.reason.rpartition(".")[2]


@pytest.mark.parametrize(
    "content", [word_file("été"), sheet_file(a=[[1]]), slide_file(("a", "b", "c"))]
)
def test_honest_documents_pass_unchanged(content: bytes) -> None:
    assert checked(content).getvalue() == content


def test_too_many_entries_are_refused() -> None:
    content = archive({f"{n}.xml": b"" for n in range(MAX_ENTRIES + 1)}, zipfile.ZIP_STORED)
    assert reason(content) == "entries"


def test_an_entry_that_inflates_too_steeply_is_refused() -> None:
    content = archive({"a.bin": bytes(2 * MIB)})
    assert len(content) * MAX_RATIO < 2 * MIB
    assert reason(content) == "inflates"


def test_what_all_entries_inflate_to_counts() -> None:
    piece = b"".join(n.to_bytes(4, "big") * 9 for n in range(400_000))
    count = archive_check.MAX_INFLATED_BYTES // len(piece) + 1
    assert reason(archive({f"{n}.bin": piece for n in range(count)})) == "inflates"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("before", [0, archive_check._PIECE_BYTES - 5])
def test_declared_entities_are_found_wherever_they_stand(encoding: str, before: int) -> None:
    words = " " * before + '<!DOCTYPE x [<!ENTITY a "b">]><x/>'
    content = archive({"a/b.xml": words.encode(encoding)}, zipfile.ZIP_STORED)
    assert reason(content) == "entities"


def test_a_doctype_in_an_embedded_picture_is_nobodys_business() -> None:
    content = archive({"word/media/a.svg": b"<!DOCTYPE svg><svg/>"})
    assert checked(content).getvalue() == content


def test_unusual_ways_to_pack_are_refused() -> None:
    assert reason(archive({"a.xml": b"x" * 99}, zipfile.ZIP_LZMA)) == "damaged"


def test_encrypted_entries_are_told_so() -> None:
    content = bytearray(archive({"a.xml": b"x" * 99}))
    content[content.rfind(b"PK\x01\x02") + 8] |= 1
    assert reason(bytes(content)) == "password"
