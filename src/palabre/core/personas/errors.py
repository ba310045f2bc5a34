"""Why persona files cannot be read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from palabre.kernel.errors import SetupError, UserError
from palabre.kernel.text import Text


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that keeps a file from being read.

    Attributes:
        file: Where it is.
        code: Key of the text below `persona.problem.`.
        data: Values for the text's placeholders, besides `file`.
    """

    file: str
    code: str
    data: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def text(self) -> Text:
        """What to tell the writer of the file."""
        return Text(f"persona.problem.{self.code}", {"file": self.file, **self.data})

    def __str__(self) -> str:
        """One line for a log: `<file>: <code> key=value ...`."""
        values = "".join(f" {name}={value}" for name, value in self.data.items())
        return f"{self.file}: {self.code}{values}"


class PersonaFilesError(SetupError):
    """Some files do not hold what they should; all their problems at once.

    `data["problems"]` has one line a problem, `data["count"]` their number.
    """

    code = "persona_files"

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(count=len(problems), problems="\n".join(map(str, problems)))
        self.problems = tuple(problems)

    @property
    def text(self) -> Text:
        """What to tell the user: every problem on its line."""
        lines = tuple(problem.text for problem in self.problems)
        return Text(f"error.{self.code}", {"count": len(lines), "problems": lines})


class UnknownPersonaError(UserError):
    """Nobody is called `data["nick"]`; `data["personas"]` are the names there are."""

    code = "unknown_persona"
