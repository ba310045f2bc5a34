"""Names that cannot be told apart (Unicode UTS 39). Pure."""

import unicodedata

# The rows of the Unicode confusables table (UTS 39) inside the allowed alphabet.
_LOOKS_LIKE = str.maketrans(
    {"0": "O", "1": "l", "I": "l", "m": "rn", "×": "x", "æ": "ae", "Æ": "AE"}
)


def nick_keys(nick: str) -> frozenset[str]:
    """Return keys of *nick*; two nicks that share one cannot be told apart.

    One key ignores case, one is the skeleton of UTS 39, which ignores shape, one ignores both:
    `Batty` and `BATTY` share the first, `Isa` and `lsa` the second, `Moorcock` and `rnoorcock`
    the third.
    """
    plain = unicodedata.normalize("NFKC", nick)
    folded = plain.casefold()
    return frozenset(
        {folded, *(each.translate(_LOOKS_LIKE).casefold() for each in (plain, folded))}
    )
