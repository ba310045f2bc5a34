"""The oldest lines of a context file: which they are, and what they say."""

from array import array

from palabre.adapters.storage.jsonl.context_file import ContextFile
from palabre.adapters.storage.jsonl.forwards import lines_forwards
from palabre.adapters.storage.jsonl.line_format import MAX_LINE_BYTES, count_chars, read_line
from palabre.core.chat.model import Utterance
from palabre.kernel.ids import ChannelName


def oldest(file: ContextFile, share: float, min_entries: int) -> tuple[int, int] | None:
    """Return how many utterances the oldest *share* of *file* holds, and where it ends.

    None where there are fewer than *min_entries*, or where the share holds none of them.
    """
    ends = array("Q")
    for end, line in lines_forwards(file.read_at, 0, file.size, max_line_bytes=MAX_LINE_BYTES):
        if line and count_chars(line) is not None:
            ends.append(end)
    count = int(len(ends) * share)
    if len(ends) < min_entries or not count:
        return None
    return count, ends[count - 1]


def passage(
    file: ContextFile, channel: ChannelName, start: int, end: int, max_chars: int
) -> tuple[list[Utterance], int]:
    """Return utterances between two offsets, as many as fit but one, and where they end."""
    said: list[Utterance] = []
    position = start
    for line_end, line in lines_forwards(file.read_at, start, end, max_line_bytes=MAX_LINE_BYTES):
        utterance = read_line(line, channel) if line else None
        if utterance:
            max_chars -= len(utterance.nick) + len(utterance.text)
            if said and max_chars < 0:
                return said, position
            said.append(utterance)
        position = line_end
    return said, end
