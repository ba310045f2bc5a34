"""Why something could not be kept or read."""

from palabre.kernel.errors import StorageError


class NotPlainFileError(StorageError):
    """A link, a pipe or a directory is where a file of ours should be."""

    code = "not_plain_file"


class StorageFaultError(StorageError):
    """The program itself is at fault; its log has the traceback."""

    code = "storage_fault"


def storage_error(fault: Exception) -> StorageError:
    """Return what *fault* means to whoever asked; a new error each time, as many may ask."""
    match fault:
        case StorageError():
            return type(fault)(**fault.data)
        case OSError():
            return StorageError(detail=reason(fault))
        case _:
            return StorageFaultError()


def reason(fault: OSError) -> str:
    """Return why the system refused, in its own words."""
    return fault.strerror or type(fault).__name__
