"""Headers of pictures, whole, cut and lying."""

import io

import pytest
from PIL import Image

from palabre.adapters.media.comfyui_picture import MAX_PIXELS, mime_of
from palabre.core.media.errors import NotAPictureError, PictureTooLargeError
from palabre.testing.media import a_png


def saved(kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (60, 40), "red").save(file, kind, **options)
    return file.getvalue()


PICTURES = {
    "png": (saved("PNG"), "image/png"),
    "jpeg": (saved("JPEG"), "image/jpeg"),
    "progressive jpeg": (saved("JPEG", progressive=True), "image/jpeg"),
    "webp": (saved("WEBP"), "image/webp"),
    "lossless webp": (saved("WEBP", lossless=True), "image/webp"),
    "extended webp": (saved("WEBP", exif=b"Exif\0\0II*\0"), "image/webp"),
}


@pytest.mark.parametrize("kind", PICTURES)
def test_real_pictures_are_pictures(kind: str) -> None:
    content, mime = PICTURES[kind]
    assert mime_of(content, "ComfyUI") == mime


@pytest.mark.parametrize("kind", PICTURES)
def test_a_picture_that_is_cut_is_none_wherever_it_is_cut(kind: str) -> None:
    content, _ = PICTURES[kind]
    for size in (0, 1, 11, 20, 25, len(content) // 2, len(content) - 80):
        with pytest.raises(NotAPictureError):
            mime_of(content[: max(0, size)], "ComfyUI")


@pytest.mark.parametrize(
    "content",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>",
        b"<!DOCTYPE html>",
        b"GIF89a" + bytes(100),
        b"\xff\xd8\xff" + b"\xff" * 1_000_000 + b"\xff\xd9",
        b"\xff\xd8" + b"\xff\xe0\0\0" * 100_000 + b"\xff\xd9",
        a_png(0, 0),
    ],
)
def test_other_files_are_no_pictures(content: bytes) -> None:
    with pytest.raises(NotAPictureError):
        mime_of(content, "ComfyUI")


def test_more_pixels_than_are_allowed_are_too_many() -> None:
    content = bytearray(a_png())
    content[16:24] = (30_000).to_bytes(4, "big") * 2
    with pytest.raises(PictureTooLargeError) as caught:
        mime_of(bytes(content), "ComfyUI")
    assert caught.value.data["most"] == MAX_PIXELS
