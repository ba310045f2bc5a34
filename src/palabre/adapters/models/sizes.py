"""How large a model is, where only its name tells."""

import re

_BILLIONS = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])", re.IGNORECASE)
_MILLIONS = re.compile(r"(?<![a-z0-9.])(\d+)m(?![a-z0-9])", re.IGNORECASE)


def guessed_parameters(name: str) -> int | None:
    """Return the number of weights that *name* boasts of, such as `Qwen2.5-1.5B-Instruct`."""
    if found := _BILLIONS.search(name):
        return round(float(found[1]) * 1e9)
    if found := _MILLIONS.search(name):
        return round(float(found[1]) * 1e6)
    return None
