"""Keep Python's garbage collector from holding everyone up."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Collect nothing while the block runs, and never look again at what there is by its end.

    Importing makes hundreds of thousands of objects that stay for ever. To look through them all
    takes 100 ms and more in which no other thread runs, and importing causes it several times.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
