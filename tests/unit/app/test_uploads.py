"""Settings of uploads reach the workers."""

import pytest

from palabre.app.settings.uploads import UploadsSettings
from palabre.app.uploads import file_reader
from palabre.core.media.errors import FileUnreadableError
from palabre.testing.documents import picture_file
from palabre.testing.files import shared_file


async def test_the_memory_of_the_settings_is_the_limit_of_a_file() -> None:
    reader = file_reader(UploadsSettings(memory_mb=128))
    with pytest.raises(FileUnreadableError) as caught:
        await reader.read(shared_file("a.png", picture_file(size=(7000, 5500))))
    await reader.aclose()
    assert caught.value.data == {"limit_mb": 128}


async def test_the_usual_settings_read_a_file() -> None:
    reader = file_reader(UploadsSettings())
    assert (await reader.read(shared_file("a.txt", b"hello"))).text == "hello"
    await reader.aclose()
