"""Pictures: decoded once, turned upright, made smaller, encoded anew."""

import io
import warnings

from PIL import Image, ImageOps, UnidentifiedImageError

from palabre.adapters.media.job import Found, Job
from palabre.core.media.errors import FileUnreadableError
from palabre.core.media.model import Picture, Reading

LONGEST_SIDE_PX = 1568
MEGAPIXEL = 1_000_000
MAX_MEGAPIXELS = {"JPEG": 50, "PNG": 40, "GIF": 25, "WEBP": 12.5}
MAX_CLEAR_MEGAPIXELS = 20
"""What fits into the memory of a worker: decoders keep one to three copies, and making a picture
with transparent parts smaller takes one more."""

FORMATS = {"jpg": "JPEG", "png": "PNG", "gif": "GIF", "webp": "WEBP"}
_DRAWN = {"PNG", "GIF"}
_MAX_DRAWN_BYTES = 2 * 1024 * 1024


def read(job: Job) -> Found:
    """Read the first frame of a picture."""
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    Image.MAX_IMAGE_PIXELS = round(max(MAX_MEGAPIXELS.values()) * MEGAPIXEL)
    form = FORMATS[job.form]
    try:
        with Image.open(io.BytesIO(job.contents[0]), formats=[form]) as opened:
            _check_pixels(opened, _most_megapixels(opened, form))
            small = upright(opened)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise FileUnreadableError(
            "file_reason.pixels", limit_megapixels=MAX_MEGAPIXELS[form]
        ) from None
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise FileUnreadableError("file_reason.damaged") from error
    return Found(Reading(picture=encoded(small, form)))


def upright(image: Image.Image) -> Image.Image:
    """Return *image* as RGB, at most `LONGEST_SIDE_PX` long, the way it was held."""
    side = (LONGEST_SIDE_PX, LONGEST_SIDE_PX)
    image.draft("RGB", side)
    image.load()
    exif = image.getexif()
    small = image if image.mode in {"L", "RGB", "RGBA", "CMYK"} else _plain(image)
    small.thumbnail(side, reducing_gap=2.0)
    small.getexif().update(exif)
    return _on_white(ImageOps.exif_transpose(small))


def encoded(image: Image.Image, form: str) -> Picture:
    """Return *image* as PNG if it seems drawn, else as JPEG."""
    width_px, height_px = image.size
    if form in _DRAWN:
        drawn = _save(image, "PNG")
        if len(drawn) <= _MAX_DRAWN_BYTES:
            return Picture(drawn, "image/png", width_px, height_px)
    return Picture(_save(image, "JPEG"), "image/jpeg", width_px, height_px)


def _save(image: Image.Image, form: str) -> bytes:
    held = io.BytesIO()
    image.info.clear()  # Comments, places and profiles would come along.
    image.save(held, form, quality=90)
    return held.getvalue()


def _plain(image: Image.Image) -> Image.Image:
    return image.convert("RGBA" if image.has_transparency_data else "RGB")


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode != "RGBA":
        return image.convert("RGB")
    page = Image.new("RGB", image.size, "white")
    page.paste(image, mask=image.getchannel("A"))
    return page


def _most_megapixels(image: Image.Image, form: str) -> float:
    most = MAX_MEGAPIXELS[form]
    return min(most, MAX_CLEAR_MEGAPIXELS) if image.has_transparency_data else most


def _check_pixels(image: Image.Image, most_megapixels: float) -> None:
    """Refuse by what the header says, before a pixel is decoded."""
    if image.width * image.height > most_megapixels * MEGAPIXEL:
        raise FileUnreadableError("file_reason.pixels", limit_megapixels=most_megapixels)
