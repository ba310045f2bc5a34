"""What can be wrong with a backup, or with where it is to go."""

from palabre.kernel.errors import SetupError, UserError
from palabre.kernel.text import Text


class ArchiveRefusedError(SetupError):
    """The archive is none of ours, or is damaged; `data["problem"]` says how."""

    code = "archive_refused"

    def __init__(self, problem: str, **data: str | int | float) -> None:
        super().__init__(problem=problem, **data)
        self.problem = problem

    @property
    def text(self) -> Text:
        """What to tell the user."""
        why = Text(f"backup.problem.{self.problem}", self.data)
        return Text(f"error.{self.code}", {"problem": why})


class NothingToBackUpError(UserError):
    """There is no data dir `data["path"]`."""

    code = "nothing_to_back_up"


class BackupInsideError(UserError):
    """The backup would be written into the folder `data["path"]` that it is made of."""

    code = "backup_inside"


class NotEmptyError(UserError):
    """There is something already in `data["path"]`, and nobody said to replace it."""

    code = "restore_not_empty"


class SwapFailedError(SetupError):
    """The folder `data["path"]` could not be put in place; `data["detail"]` says why."""

    code = "restore_swap"


class UnpackFailedError(SetupError):
    """What is in the backup cannot be written beside `data["path"]`; `data["detail"]` says why."""

    code = "restore_unpack"


class TooLittleRoomError(SetupError):
    """`data["path"]` needs `data["needed_mb"]`; there are `data["free_mb"]`."""

    code = "restore_room"


class DatabaseInUseError(SetupError):
    """Others (`data["count"]`) are connected to the Postgres `data["path"]`."""

    code = "restore_in_use"


class RestoreCutError(SetupError):
    """A restore was cut off: the files of `data["path"]` are not those of the database's rows."""

    code = "restore_cut"
