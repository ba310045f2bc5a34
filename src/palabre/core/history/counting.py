"""As what a line counts."""

import re

from palabre.core.history.model import SYSTEM

UPLOAD = "upload"
"""A line of the room that tells that somebody sent a file."""

_SENT = re.compile(r"\S+ (?:a envoy[ée]|sent)\s?: .+ \(-?\d+(?:\.\d+)? KB\)", re.DOTALL)


def counted_kind(kind: str, text: str) -> str:
    """Return as what a line of *kind* counts."""
    return UPLOAD if kind == SYSTEM and _SENT.fullmatch(text) else kind
