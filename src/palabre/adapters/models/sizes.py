"""How large a model is, as servers and names tell."""

import re

_BILLIONS = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])", re.IGNORECASE)
_MILLIONS = re.compile(r"(?<![a-z0-9.])(\d+)m(?![a-z0-9])", re.IGNORECASE)


MAX_COUNT = 2**63 - 1


def believable(count: object) -> int | None:
    """Return *count* if it can be a number of things; None, unknown, for all else."""
    if not isinstance(count, int) or isinstance(count, bool):
        return None
    return count if 0 <= count <= MAX_COUNT else None


def scaled(number: str, unit: float) -> int | None:
    """Return *number*, in decimal, of *unit*; None if it is none or beyond belief."""
    try:
        return believable(round(float(number) * unit))
    except (ValueError, OverflowError):
        return None


def guessed_parameters(name: str) -> int | None:
    """Return the number of weights that *name* boasts of, such as `Qwen2.5-1.5B-Instruct`."""
    if found := _BILLIONS.search(name):
        return scaled(found[1], 1e9)
    if found := _MILLIONS.search(name):
        return scaled(found[1], 1e6)
    return None
