"""Why rooms refuse something."""

from palabre.kernel.errors import PalabreError, StorageError, UpstreamError


class StoreClosedError(StorageError):
    """The program ends: nothing more is kept or read."""

    code = "store_closed"


class SummaryUnusableError(PalabreError):
    """A model was asked to summarise a talk, and what it wrote is no summary of it."""

    code = "summary_unusable"


class ModelComingError(UpstreamError):
    """The first model is being fetched: `data["percent"]` of it is here."""

    code = "model_coming"
