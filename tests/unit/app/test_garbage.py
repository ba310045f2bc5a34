import gc
from collections.abc import Iterator

import pytest

from palabre.app.garbage import nothing_collected


@pytest.fixture(autouse=True)
def thaw() -> Iterator[None]:
    gc.unfreeze()  # other tests of this process import what is heavy
    yield
    gc.unfreeze()
    assert gc.isenabled()


def test_nothing_is_collected_in_the_block_and_what_it_made_is_never_looked_at() -> None:
    with nothing_collected():
        made = [[] for _ in range(1000)]
        assert not gc.isenabled()
        assert gc.get_freeze_count() == 0
    assert gc.isenabled()
    assert gc.get_freeze_count() > len(made)
    assert not any(each is made for each in gc.get_objects())


def test_it_collects_again_after_an_error() -> None:
    with pytest.raises(ImportError), nothing_collected():
        raise ImportError
    assert gc.isenabled()
