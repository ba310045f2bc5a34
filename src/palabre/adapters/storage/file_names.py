"""Names of files that are made of names of channels, personas and people."""

import re
from functools import lru_cache

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


@lru_cache(maxsize=1024)
def safe_name(name: str) -> str:
    """Return *name* as a file's name: `#general` is `_general` (seed 000 §5.2)."""
    return _UNSAFE.sub("_", name)
