"""Pictures, made upright and small."""

import io

import pytest
from PIL import Image

from palabre.adapters.media.job import Job
from palabre.adapters.media.kinds.picture import LONGEST_SIDE_PX, MAX_MEGAPIXELS, read
from palabre.adapters.media.worker_reader import FILE_LIMITS
from palabre.core.media.errors import FileUnreadableError
from palabre.core.media.model import Picture

_ORIENTATION = 0x0112
FORMS = {"JPEG": "jpg", "PNG": "png", "GIF": "gif", "WEBP": "webp"}


def saved(image: Image.Image, form: str, **options: object) -> bytes:
    held = io.BytesIO()
    image.save(held, form, **options)
    return held.getvalue()


def picture(content: bytes, form: str) -> tuple[Picture, Image.Image]:
    found = read(Job(FORMS[form], (content,), FILE_LIMITS)).reading.picture
    assert found is not None
    return found, Image.open(io.BytesIO(found.content))


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_a_picture_is_turned_the_way_it_was_held(form: str) -> None:
    held = Image.new("RGB", (3200, 1600), "blue")
    held.paste("red", (0, 0, 1600, 1600))
    exif = Image.Exif()
    exif[_ORIENTATION] = 6
    found, image = picture(saved(held, form, exif=exif), form)
    assert (found.width_px, found.height_px) == (LONGEST_SIDE_PX // 2, LONGEST_SIDE_PX)
    red, _, blue = image.convert("RGB").getpixel((300, 100))
    assert (red > 200, blue > 60) == (True, False)
    assert _ORIENTATION not in image.getexif()


@pytest.mark.parametrize("form", ["PNG", "GIF", "WEBP"])
def test_what_is_transparent_becomes_white(form: str) -> None:
    _, image = picture(saved(Image.new("RGBA", (9, 9), (0, 0, 0, 0)), form), form)
    assert image.convert("RGB").getpixel((4, 4)) == (255, 255, 255)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "I;16", "CMYK"])
def test_every_way_to_write_colours_is_read(mode: str) -> None:
    form = "JPEG" if mode == "CMYK" else "PNG"
    found, image = picture(saved(Image.new(mode, (40, 30)), form), form)
    assert image.size == (found.width_px, found.height_px) == (40, 30)
    assert image.mode == "RGB"


def test_only_the_first_frame_is_kept() -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "lime", "blue")]
    content = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    _, image = picture(content, "GIF")
    assert image.convert("RGB").getpixel((4, 4)) == (255, 0, 0)
    assert getattr(image, "n_frames", 1) == 1


def test_a_drawing_of_noise_is_encoded_as_a_photograph() -> None:
    noise = Image.effect_noise((1500, 1500), 90).convert("RGB")
    found, _ = picture(saved(noise, "PNG"), "PNG")
    assert found.mime == "image/jpeg"


def test_words_inside_a_picture_do_not_come_along() -> None:
    exif = Image.Exif()
    exif[0x010E] = "<script>"
    content = saved(Image.new("RGB", (9, 9)), "JPEG", comment=b"<script>", exif=exif)
    assert content.count(b"<script>") == 2
    found, _ = picture(content, "JPEG")
    assert b"<script>" not in found.content


def test_pixels_are_counted_before_they_are_decoded() -> None:
    side = int((MAX_MEGAPIXELS["PNG"] * 1_000_000) ** 0.5) + 1
    content = saved(Image.new("1", (side, side)), "PNG")
    with pytest.raises(FileUnreadableError) as caught:
        read(Job("png", (content,), FILE_LIMITS))
    assert caught.value.reason == "file_reason.pixels"
    assert caught.value.data == {"limit_megapixels": MAX_MEGAPIXELS["PNG"]}


def test_a_picture_of_another_kind_than_its_first_bytes_say_is_not_opened() -> None:
    with pytest.raises(FileUnreadableError):
        read(Job("png", (saved(Image.new("RGB", (9, 9)), "GIF"),), FILE_LIMITS))
