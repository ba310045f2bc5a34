"""Why rooms refuse something."""

from palabre.kernel.errors import StorageError


class StoreClosedError(StorageError):
    """The program ends: nothing more is kept or read."""

    code = "store_closed"
