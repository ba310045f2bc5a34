"""Text, up to what is wanted of a file."""

from palabre.core.media.errors import FileUnreadableError
from palabre.core.media.model import MAX_READ_BYTES, Reading


class Clip:
    """Gathers lines until they are *limit_bytes* of UTF-8; never half a character.

    Attributes:
        is_cut: Whether something was left out.
    """

    def __init__(self, limit_bytes: int = MAX_READ_BYTES) -> None:
        self._pieces: list[str] = []
        self._left_bytes = limit_bytes
        self.is_cut = False

    @property
    def text(self) -> str:
        """What was gathered."""
        return "".join(self._pieces)

    def add(self, words: str) -> bool:
        """Take *words* as far as there is room; say whether all of them fitted."""
        head = words[: self._left_bytes]
        encoded = head.encode("utf-8", "replace")[: self._left_bytes]
        kept = encoded.decode("utf-8", "ignore")
        self._pieces.append(kept)
        self._left_bytes -= len(encoded)
        self.is_cut = self.is_cut or len(kept) < len(words)
        return not self.is_cut

    def line(self, words: str) -> bool:
        """Take *words* and the end of their line; blank ones are left out."""
        return not words.strip() or self.add(f"{words.rstrip()}\n")

    def reading(self, *, pages: int | None = None) -> Reading:
        """Return what was gathered.

        Raises:
            FileUnreadableError: It is blank.
        """
        text = self.text
        if not text.strip():
            raise FileUnreadableError("file_reason.blank")
        return Reading(text, pages=pages, is_cut=self.is_cut)
