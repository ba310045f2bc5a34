"""Signs that both databases can keep."""

from palabre.adapters.storage.jsonl.line_format import mend

NO_CHARACTER = "\ufffd"


def sayable(words: str) -> str:
    """Return *words* with U+FFFD for NUL, which Postgres takes nowhere, and for lone surrogates."""
    return mend(words).replace("\0", NO_CHARACTER)
