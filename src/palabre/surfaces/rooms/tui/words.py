"""What the client says itself, in the reader's language."""

from dataclasses import dataclass

from palabre.kernel.text import text
from palabre.texts import Language, catalogue, say


@dataclass(frozen=True, slots=True)
class Words:
    """Says in one language the texts below `client`, which the page has too, and below `tui`."""

    language: Language

    def __call__(self, code: str, **data: str | int | float) -> str:
        """Return the text `client.<code>` or `tui.<code>`."""
        shared, own = f"client.{code}", f"tui.{code}"
        said = text(shared if shared in catalogue(self.language) else own, **data)
        return say(said, self.language)

    def count(self, code: str, count: int) -> str:
        """Return the text `<code>one` or `<code>many` for *count* things."""
        return self(f"{code}{'one' if count == 1 else 'many'}", count=count)

    def listed(self, names: tuple[str, ...]) -> str:
        """Return *names* as `A, B and C`."""
        *first, last = names
        return f"{', '.join(first)} {self('and')} {last}" if first else last
