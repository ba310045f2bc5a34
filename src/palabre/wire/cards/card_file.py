"""Any file that holds a card."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from palabre.kernel.text import Text
from palabre.wire.cards.charx import is_zip, read_charx
from palabre.wire.cards.document import CardDocument, read_document
from palabre.wire.cards.errors import MAX_FILE_BYTES, MIB, CardError
from palabre.wire.cards.png import read_png
from palabre.wire.cards.png_chunks import SIGNATURE

CardFormat: TypeAlias = Literal["json", "png", "charx"]


@dataclass(frozen=True, slots=True)
class CardFile:
    """A card and what it came in.

    Attributes:
        format: What the file is.
        document: The card.
        json: Its JSON as it was written.
        picture: A PNG without cards; None if it came without.
        archive: The zip that it came in; None if it came otherwise.
        remarks: What was wrong and did not matter.
    """

    format: CardFormat
    document: CardDocument
    json: bytes
    picture: bytes | None = None
    archive: bytes | None = None
    remarks: tuple[Text, ...] = ()


def read_card(content: bytes) -> CardFile:
    """Return the card in *content*: JSON, a PNG or APNG, or CHARX. Its beginning decides.

    Raises:
        CardError: It is too large, or holds no card that can be read.
    """
    if len(content) > MAX_FILE_BYTES:
        raise CardError("file_too_large", most=MAX_FILE_BYTES // MIB)
    if content.startswith(SIGNATURE):
        png = read_png(content)
        return CardFile("png", png.document, png.json, png.picture, remarks=png.remarks)
    if content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
        return CardFile("json", read_document(content), content)
    if is_zip(content):
        charx = read_charx(content)
        return CardFile("charx", charx.document, charx.json, charx.icon, content)
    raise CardError("unknown_format")
