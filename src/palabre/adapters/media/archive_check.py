"""Whether a ZIP archive may be opened: what it inflates to is counted, never believed."""

import io
import re
import zipfile

from palabre.core.media.errors import FileUnreadableError

MIB = 1024 * 1024
MAX_ENTRIES = 5000
MAX_INFLATED_BYTES = 100 * MIB
MAX_RATIO = 300
"""Inflated to packed bytes of one entry; honest XML stays below 100."""

_RATIO_FREE_BYTES = MIB
_PIECE_BYTES = 64 * 1024
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_IS_ENCRYPTED = 0x1
_XML = (".xml", ".rels", ".vml")
_DOCTYPE = re.compile(rb"<\0?!\0?D\0?O\0?C\0?T\0?Y\0?P\0?E|<\0?!\0?E\0?N\0?T\0?I\0?T\0?Y")
_OVERLAP_BYTES = 20


def checked(content: bytes) -> io.BytesIO:
    """Return *content* to open as a document.

    Raises:
        FileUnreadableError: It has too many entries, inflates to too much, is encrypted, or
            declares XML entities, which documents of this kind never do.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_ENTRIES:
            raise FileUnreadableError("file_reason.entries", limit=MAX_ENTRIES)
        inflated_bytes = 0
        for entry in entries:
            inflated_bytes += _inflate(archive, entry, inflated_bytes)
    return io.BytesIO(content)


def _inflate(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, before_bytes: int) -> int:
    """Return the real size of *entry*, looking at all of it but keeping none."""
    if entry.flag_bits & _IS_ENCRYPTED:
        raise FileUnreadableError("file_reason.password")
    if entry.compress_type not in _METHODS:
        raise FileUnreadableError("file_reason.damaged")
    is_xml = entry.filename.lower().endswith(_XML)
    size_bytes, tail = 0, b""
    with archive.open(entry) as stream:
        while piece := stream.read(_PIECE_BYTES):
            size_bytes += len(piece)
            _check_size(size_bytes, before_bytes, entry.compress_size)
            if is_xml and _DOCTYPE.search(tail + piece):
                raise FileUnreadableError("file_reason.entities")
            tail = piece[-_OVERLAP_BYTES:]
    return size_bytes


def _check_size(size_bytes: int, before_bytes: int, packed_bytes: int) -> None:
    is_steep = size_bytes > _RATIO_FREE_BYTES and size_bytes > MAX_RATIO * max(packed_bytes, 1)
    if is_steep or before_bytes + size_bytes > MAX_INFLATED_BYTES:
        limit_mb = MAX_INFLATED_BYTES // MIB
        raise FileUnreadableError("file_reason.inflates", limit_mb=limit_mb, limit_ratio=MAX_RATIO)
