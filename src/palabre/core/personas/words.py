"""Words as they are compared. Pure."""

import unicodedata


def folded(word: str) -> str:
    """Return *word* without case and accents."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))
