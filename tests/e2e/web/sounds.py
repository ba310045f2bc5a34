"""Sounds and pictures for the tests of the page, made on the spot."""

import base64
import io
import math
import struct
import wave
import zlib


def wav(seconds: float, hz: int = 440, rate: int = 8000) -> bytes:
    """Return a quiet sine as a WAV of one channel and 16 bits."""
    count = int(seconds * rate)
    samples = (int(8000 * math.sin(2 * math.pi * hz * i / rate)) for i in range(count))
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))
    return file.getvalue()


def png(width: int, height: int, color: tuple[int, int, int] = (90, 140, 110)) -> bytes:
    """Return a picture that fades from *color* to black."""
    rows = (
        b"\0" + bytes(part * (height - y) // height for part in color) * width
        for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
