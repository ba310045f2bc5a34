"""Why rooms refuse something."""

from palabre.kernel.errors import PalabreError, StorageError, UpstreamError, UserError


class StoreClosedError(StorageError):
    """The program ends: nothing more is kept or read."""

    code = "store_closed"


class ReadOnlyError(UserError):
    """A viewer wants to say something, or to do what others see."""

    code = "chat_read_only"


class NameOfPersonaError(UserError):
    """A username is, or looks like, the name of a persona: `data["username"]`."""

    code = "name_of_persona"


class NameInUseError(UserError):
    """Somebody else, who is here or has an account, is called nearly so: `data["username"]`."""

    code = "name_in_use"


class SummaryUnusableError(PalabreError):
    """A model was asked to summarise a talk, and what it wrote is no summary of it."""

    code = "summary_unusable"


class ModelComingError(UpstreamError):
    """The first model is being fetched: `data["percent"]` of it is here."""

    code = "model_coming"
