"""Cards inside of PNG and APNG pictures."""

import base64
import binascii
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palabre.kernel.text import Text, text
from palabre.wire.cards.backfill import write_v2
from palabre.wire.cards.document import CardDocument, read_document, write_v3
from palabre.wire.cards.errors import CardError
from palabre.wire.cards.png_chunks import (
    Chunk,
    keyword_of,
    read_chunks,
    read_text,
    text_chunk,
    write_chunks,
)

_KEYWORDS = ("ccv3", "chara")
"""In the order of preference (V3, "PNG/APNG")."""

_BLANK = re.compile(rb"\s+")
_PLAIN_SIDE = 256


@dataclass(frozen=True, slots=True)
class PngCard:
    """A card found in a picture.

    Attributes:
        document: The card.
        json: Its JSON as it was written.
        picture: The PNG without cards.
        remarks: What was wrong and did not matter.
    """

    document: CardDocument
    json: bytes
    picture: bytes
    remarks: tuple[Text, ...]


def read_png(png: bytes) -> PngCard:
    """Return the card in *png*: the best that can be read.

    Raises:
        CardError: There is none, or none that can be read.
    """
    chunks = read_chunks(png)
    errors: list[CardError] = []
    for chunk in _candidates(chunks):
        try:
            content = _decoded(read_text(chunk).words)
            document = read_document(content)
        except CardError as error:
            errors.append(error)
            continue
        remarks = _remarks(chunk, errors)
        return PngCard(document, content, write_chunks(_without_cards(chunks)), remarks)
    raise errors[0] if errors else CardError("no_card_inside")


def write_png(card: CardDocument, picture: bytes) -> bytes:
    """Write *card* into *picture*, a PNG: V3, and V2 for older readers.

    Raises:
        CardError: *picture* is no PNG.
    """
    chunks = list(_without_cards(read_chunks(picture)))
    ends = [place for place, chunk in enumerate(chunks) if chunk.kind == b"IEND"]
    place = ends[0] if ends else len(chunks)
    cards = [
        text_chunk("chara", base64.b64encode(write_v2(card))),
        text_chunk("ccv3", base64.b64encode(write_v3(card))),
    ]
    return write_chunks([*chunks[:place], *cards, *chunks[place:]])


def plain_picture(color: str) -> bytes:
    """Return a square PNG of *color*, `#rrggbb`."""
    row = b"\0" + bytes.fromhex(color.removeprefix("#")) * _PLAIN_SIDE
    head = struct.pack(">IIBBBBB", _PLAIN_SIDE, _PLAIN_SIDE, 8, 2, 0, 0, 0)
    body = zlib.compress(row * _PLAIN_SIDE, 9)
    return write_chunks([Chunk(b"IHDR", head), Chunk(b"IDAT", body), Chunk(b"IEND", b"")])


def _candidates(chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    for keyword in _KEYWORDS:
        found = [chunk for chunk in chunks if keyword_of(chunk) == keyword]
        yield from sorted(found, key=lambda chunk: not chunk.is_sound)


def _without_cards(chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    return (chunk for chunk in chunks if keyword_of(chunk) not in _KEYWORDS)


def _remarks(chunk: Chunk, errors: Sequence[CardError]) -> tuple[Text, ...]:
    unread = (text("card.remark.other_copy_broken"),) if errors else ()
    return unread if chunk.is_sound else (*unread, text("card.remark.bad_checksum"))


def _decoded(words: bytes) -> bytes:
    """Undo base64, in any of its dialects; some programs write the JSON as it is."""
    words = words.strip()
    if words.removeprefix(b"\xef\xbb\xbf").startswith(b"{"):
        return words
    dense = _BLANK.sub(b"", words).translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        return base64.b64decode(dense + b"=" * (-len(dense) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise CardError("broken_text") from error
