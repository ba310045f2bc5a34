"""Why a memory cannot be changed."""

from palabre.kernel.errors import PalabreError, StorageError, UserError


class LessonUnreadableError(PalabreError):
    """The model of `data["nick"]` was asked what to remember, and its answer makes no sense."""

    code = "lesson_unreadable"


class MemoryUnusableError(StorageError):
    """A memory's file cannot be read or replaced; `data["detail"]` says why."""

    code = "memory_unusable"


class NoSuchFactError(UserError):
    """`data["nick"]` has no fact `data["number"]`; it has `data["count"]`."""

    code = "no_such_fact"


class NothingToUndoError(UserError):
    """Nothing before the present memory of `data["nick"]` is kept."""

    code = "nothing_to_undo"
