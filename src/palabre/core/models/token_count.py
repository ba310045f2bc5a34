"""How many tokens a text may be, where the model does not tell. Pure."""

BYTES_PER_TOKEN = 4


def estimated_tokens(text: str) -> int:
    """Return about how many tokens *text* is: one for each four bytes of it."""
    return -(-len(text.encode(errors="replace")) // BYTES_PER_TOKEN)
