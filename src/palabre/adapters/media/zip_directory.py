"""A look into the directory of a ZIP archive that costs the same whatever the archive holds.

The parent calls this: nothing is inflated, and only so many names are looked at.
"""

from collections.abc import Iterator
from struct import Struct

_END = Struct("<4s4HIIH")
_END_SIGNATURE = b"PK\x05\x06"
_ENTRY = Struct("<4s6H3I5H2I")
_ENTRY_SIGNATURE = b"PK\x01\x02"
_MAX_COMMENT_BYTES = 65_535
MAX_NAMES = 1000


def names_in(content: bytes) -> Iterator[bytes]:
    """Yield the names of the first `MAX_NAMES` entries, as far as the directory can be read."""
    position = _directory_start(content)
    for _ in range(MAX_NAMES):
        if position < 0 or position + _ENTRY.size > len(content):
            return
        entry = _ENTRY.unpack_from(content, position)
        if entry[0] != _ENTRY_SIGNATURE:
            return
        name_bytes, extra_bytes, comment_bytes = entry[10:13]
        position += _ENTRY.size
        yield content[position : position + name_bytes]
        position += name_bytes + extra_bytes + comment_bytes


def _directory_start(content: bytes) -> int:
    """Return where the directory begins; negative if nothing says so."""
    farthest = max(0, len(content) - _END.size - _MAX_COMMENT_BYTES)
    end = content.rfind(_END_SIGNATURE, farthest)
    if end < 0 or end + _END.size > len(content):
        return -1
    directory_bytes: int = _END.unpack_from(content, end)[5]
    return end - directory_bytes
