"""Why rooms refuse something."""

from palabre.kernel.errors import PalabreError, StorageError


class StoreClosedError(StorageError):
    """The program ends: nothing more is kept or read."""

    code = "store_closed"


class SummaryUnusableError(PalabreError):
    """A model was asked to summarise a talk, and what it wrote is no summary of it."""

    code = "summary_unusable"
