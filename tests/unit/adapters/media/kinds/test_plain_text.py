"""Text in any usual encoding."""

import hashlib

import pytest

from palabre.adapters.media.job import Job
from palabre.adapters.media.kinds.plain_text import HEAD_BYTES, decoded, read
from palabre.adapters.media.worker_reader import FILE_LIMITS
from palabre.core.media.errors import FileUnreadableError

FRENCH = "Les élèves étaient à Noël, où l'été fut très sec. Ça coûte 12 € à l'hôtel « Bélître »."
GERMAN = "Größe"
CHINESE = "你好,世界。今天我们学习如何写一个简单的程序。GB18030 编码测试 123。"
TAIWANESE = "你好,世界。今天我們學習如何寫一個簡單的程式。人工智慧是電腦科學的一個分支。"
RUSSIAN = "Привет, мир. Сегодня мы учимся писать простую программу. Это очень интересно."
JAPANESE = "こんにちは、世界。今日はプログラムの書き方を学びます。日本語の文章です。"


@pytest.mark.parametrize("times", [1, 30])
@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        *(
            (FRENCH, encoding)
            for encoding in (
                *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"),
            )
        ),
        (FRENCH.replace("€", "e"), "latin-1"),
        ("é", "latin-1"),
        (GERMAN, "latin-1"),
        (CHINESE, "gb18030"),
        (CHINESE, "utf-16-le"),
        (CHINESE, "utf-16-be"),
        ("你好", "gb18030"),
        (TAIWANESE, "big5"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
    ],
)
def test_text_is_told_from_its_bytes(words: str, encoding: str, times: int) -> None:
    text = f"{words} " * times
    assert decoded(text.encode(encoding)) == text


def test_a_character_may_be_cut_off_at_the_end_of_the_head() -> None:
    head = ("x" + "é" * HEAD_BYTES).encode()[:HEAD_BYTES]
    assert decoded(head, is_whole=False) == "x" + "é" * ((HEAD_BYTES - 1) // 2)


@pytest.mark.parametrize(
    "content",
    [
        bytes(1000),
        bytes(range(256)) * 4,
        b"\x7fELF" + b"".join(hashlib.sha256(bytes([n])).digest() for n in range(99)),
        b"\xff\xfe" + bytes(100),
        b"\xef\xbb\xbf\xff\xff\xff",
    ],
)
def test_what_is_no_text_is_refused(content: bytes) -> None:
    with pytest.raises(FileUnreadableError) as caught:
        decoded(content)
    assert caught.value.reason == "file_reason.binary"


def test_more_than_the_head_counts_as_cut() -> None:
    content = ("\n" * (HEAD_BYTES - 1) + "é").encode()
    with pytest.raises(FileUnreadableError):
        read(Job("text", (content,), FILE_LIMITS))
    found = read(Job("text", (b"a" * HEAD_BYTES * 2,), FILE_LIMITS))
    assert found.reading.is_cut
