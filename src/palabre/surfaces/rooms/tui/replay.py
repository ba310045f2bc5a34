"""The history that a server replays after each connect, without what is already shown."""

from collections.abc import Sequence

Said = tuple[str, str]
"""Nick and words."""


def unseen(shown: Sequence[Said], replayed: Sequence[Said]) -> int:
    """Return the index in *replayed* of the first message that *shown* does not end with.

    The end of what is shown and the start of what is replayed are the same messages when the
    connection was lost for a moment. No overlap: everything is new.
    """
    for start in range(max(0, len(shown) - len(replayed)), len(shown)):
        overlap = len(shown) - start
        if list(shown[start:]) == list(replayed[:overlap]):
            return overlap
    return 0
