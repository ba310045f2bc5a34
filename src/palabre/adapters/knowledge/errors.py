"""What can be wrong with files of documents."""

from palabre.kernel.errors import UserError


class SourceUnreadableError(UserError):
    """The file `data["path"]` cannot be read; `data["detail"]` says why."""

    code = "source_unreadable"


class SourceTooLargeError(UserError):
    """The file `data["path"]` has more than `data["limit_mb"]` MB."""

    code = "source_too_large"


class SourceCutError(UserError):
    """Only the beginning of the file `data["path"]` can be read."""

    code = "source_cut"


class ExamUnreadableError(UserError):
    """There is no exam in the folder `data["path"]`; `data["detail"]` says what is wrong."""

    code = "exam_unreadable"
