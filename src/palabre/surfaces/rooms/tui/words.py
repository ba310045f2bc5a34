"""What the client says itself, in the reader's language."""

from dataclasses import dataclass

from palabre.kernel.text import text
from palabre.texts import Language, say


@dataclass(frozen=True, slots=True)
class Words:
    """Says the texts below `tui` in one language."""

    language: Language

    def __call__(self, code: str, **data: str | int | float) -> str:
        """Return the text `tui.<code>`."""
        return say(text(f"tui.{code}", **data), self.language)

    def count(self, code: str, count: int) -> str:
        """Return `tui.<code>one` or `tui.<code>many` for *count* things."""
        return self(f"{code}{'one' if count == 1 else 'many'}", count=count)

    def listed(self, names: tuple[str, ...]) -> str:
        """Return *names* as `A, B and C`."""
        *first, last = names
        return f"{', '.join(first)} {self('and')} {last}" if first else last
