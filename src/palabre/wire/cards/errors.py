"""Why a file is no card that we can take."""

from palabre.kernel.errors import UserError
from palabre.kernel.text import Text

MIB = 1024 * 1024

MAX_FILE_BYTES = 20 * MIB
MAX_JSON_BYTES = 4 * MIB
MAX_PIXELS = 50_000_000
MAX_ZIP_ENTRIES = 1000
MAX_ZIP_BYTES = 64 * MIB
"""All files of a CHARX together, unpacked."""

MAX_ZIP_RATIO = 200
"""Of one packed file: what grows more is a bomb, not a picture."""


class CardError(UserError):
    """A card cannot be taken; `data["problem"]` is the code of the text that says why."""

    code = "card"

    def __init__(self, problem: str, **data: str | int) -> None:
        super().__init__(problem=problem, **data)
        self.problem = problem

    @property
    def text(self) -> Text:
        """What to tell the user."""
        why = Text(f"card.problem.{self.problem}", self.data)
        return Text(f"error.{self.code}", {"problem": why})
