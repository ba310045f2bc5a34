"""Which terms of a question are worth looking up. Pure."""

from collections.abc import Mapping, Sequence

MAX_ROWS = 5000
"""Chunks that the terms of one question may hit together: the cost of a search grows with them."""


def worth_asking(terms: Sequence[str], frequency: Mapping[str, int]) -> list[str]:
    """Return the rarest of *terms*, as many as hit no more than `MAX_ROWS` chunks together.

    Frequent terms hardly change the order of what the rare ones find. The rarest term that is
    there at all is always among them; those in no chunk never are. *frequency* says in how many
    chunks each term is.
    """
    chosen: list[str] = []
    rows = 0
    for term in sorted(terms, key=lambda each: (frequency[each], each)):
        rows += frequency[term]
        if chosen and rows > MAX_ROWS:
            break
        if frequency[term]:
            chosen.append(term)
    return chosen
