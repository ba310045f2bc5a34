"""What is wrong with the settings: all of it at once."""

from dataclasses import dataclass
from typing import ClassVar

from palabre.kernel.errors import SetupError
from palabre.kernel.text import Text, text
from palabre.texts import Language


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in the settings.

    Attributes:
        where: The place that holds it: `palabre.toml: server.port`, a variable or an option.
        reason: What is wrong.
        fix: What to do next.
    """

    where: str
    reason: Text
    fix: Text

    @property
    def text(self) -> Text:
        """The mistake as one line."""
        return text("settings.problem", where=self.where, reason=self.reason, fix=self.fix)


class SettingsError(SetupError):
    """The settings cannot be used.

    Attributes:
        problems: Every mistake found; never empty.
        language: The language asked for, as far as it could be read.
    """

    code: ClassVar[str] = "settings_invalid"

    def __init__(self, problems: tuple[Problem, ...], language: Language = "fr") -> None:
        super().__init__(count=len(problems))
        self.problems = problems
        self.language = language

    @property
    def text(self) -> Text:
        """All mistakes, one a line."""
        lines = tuple(problem.text for problem in self.problems)
        return Text(f"error.{self.code}", {**self.data, "problems": lines})
