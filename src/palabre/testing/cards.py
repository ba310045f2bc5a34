"""Files of character cards for tests, each in a form that is met somewhere."""

import base64
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping

from palabre.wire.cards.png import plain_picture
from palabre.wire.cards.png_chunks import SIGNATURE, Chunk, read_chunks, write_chunks

Json = Mapping[str, object]

V1 = {
    "name": "Alice",
    "description": "{{char}} fell down a hole and asks {{user}} the way.",
    "personality": "curious, polite",
    "scenario": "A wood without names.",
    "first_mes": "Would you tell me, please, which way I ought to go?",
    "mes_example": "<START>\n{{user}}: Who are you?\n{{char}}: I hardly know.",
}


def v1_card(**extras: object) -> dict[str, object]:
    """Return a card of V1 with *extras* beside its fields."""
    return {**V1, **extras}


def v2_card(*, outside: Json | None = None, **extras: object) -> dict[str, object]:
    """Return a card of V2 with *extras* in its data and more *outside*."""
    data = {
        **V1,
        "creator_notes": "A girl for long walks.",
        "system_prompt": "",
        "post_history_instructions": "",
        "alternate_greetings": ["Oh dear!"],
        "tags": ["classic"],
        "creator": "somebody",
        "character_version": "1.2",
        "extensions": {"other/app": {"depth": 4}},
    }
    head = {"spec": "chara_card_v2", "spec_version": "2.0"}
    return {**head, **(outside or {}), "data": data | extras}


def v3_card(*, outside: Json | None = None, **extras: object) -> dict[str, object]:
    """Return a card of V3 with *extras* in its data and more *outside*."""
    card = v2_card(outside=outside, **{"group_only_greetings": ["Hello, all of you!"], **extras})
    return {**card, "spec": "chara_card_v3", "spec_version": "3.0"}


def as_json(card: Json, *, indent: int | None = None, ascii_only: bool = False) -> bytes:
    """Write *card* as programs do."""
    return json.dumps(card, ensure_ascii=ascii_only, indent=indent).encode()


def as_base64(card: Json) -> bytes:
    """Write *card* as pictures hold it."""
    return base64.b64encode(as_json(card))


def t_ext(keyword: str, words: bytes) -> Chunk:
    """Return a plain text chunk."""
    return Chunk(b"tEXt", keyword.encode() + b"\0" + words)


def z_txt(keyword: str, words: bytes) -> Chunk:
    """Return a packed text chunk."""
    return Chunk(b"zTXt", keyword.encode() + b"\0\0" + zlib.compress(words))


def i_txt(keyword: str, words: bytes, *, packed: bool = False) -> Chunk:
    """Return an international text chunk."""
    body = zlib.compress(words) if packed else words
    flag = b"\1" if packed else b"\0"
    return Chunk(b"iTXt", keyword.encode() + b"\0" + flag + b"\0en\0mot\0" + body)


def png(*texts: Chunk, after_end: bytes = b"", animated: bool = False) -> bytes:
    """Return a small red PNG that holds *texts*; an animated one has the chunks of an APNG."""
    head, *body, end = read_chunks(plain_picture("#c62828"))
    motion = [Chunk(b"acTL", struct.pack(">II", 1, 0)), _frame_control()] if animated else []
    return write_chunks([head, *motion, *body, *texts, end]) + after_end


def png_of(width: int, height: int, *texts: Chunk) -> bytes:
    """Return a PNG that claims a size and has no picture."""
    head = Chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return write_chunks([head, *texts, Chunk(b"IEND", b"")])


def with_bad_checksum(chunk: Chunk) -> bytes:
    """Write *chunk* with a wrong checksum."""
    return bytes(chunk)[:-4] + b"\0\0\0\0"


def png_around(raw: bytes) -> bytes:
    """Return a PNG with *raw* in the place of its text chunks."""
    head, *body, end = read_chunks(plain_picture("#c62828"))
    return SIGNATURE + b"".join([bytes(head), *map(bytes, body), raw, bytes(end)])


def charx(card: Json, files: Mapping[str, bytes] | None = None, *, before: bytes = b"") -> bytes:
    """Return a zip with *card* and *files*; something may stand *before* it."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("card.json", as_json(card))
        for name, content in (files or {}).items():
            archive.writestr(name, content)
    return before + written.getvalue()


def _frame_control() -> Chunk:
    return Chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, 256, 256, 0, 0, 1, 10, 0, 0))
