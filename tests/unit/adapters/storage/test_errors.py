from errno import ENOSPC

import pytest

from palabre.adapters.storage.errors import NotPlainFileError, storage_error
from palabre.kernel.errors import StorageError
from palabre.texts import LANGUAGES, say

FAULTS = [
    (OSError(ENOSPC, "No space left on device"), "storage", {"detail": "No space left on device"}),
    (OSError(), "storage", {"detail": "OSError"}),
    (NotPlainFileError(), "not_plain_file", {}),
    (ZeroDivisionError("a bug"), "storage_fault", {}),
]


@pytest.mark.parametrize(("fault", "code", "data"), FAULTS)
def test_a_fault_becomes_an_error_that_can_be_said(
    fault: Exception, code: str, data: dict[str, str]
) -> None:
    error = storage_error(fault)
    assert (error.code, error.data) == (code, data)
    assert all(say(error.text, language) for language in LANGUAGES)


def test_each_who_asks_gets_an_error_of_his_own() -> None:
    fault = StorageError(detail="full")
    assert storage_error(fault) is not fault
    assert storage_error(fault).data == fault.data
