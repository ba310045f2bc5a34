"""Vectors of questions, remembered: one message asks several personas the same."""

from collections import OrderedDict
from collections.abc import Sequence

from palabre.core.knowledge.model import EmbedderKey
from palabre.core.knowledge.ports import TextEmbedder

REMEMBERED = 256
MAX_QUESTION_CHARS = 2000
"""Of a question that is longer, the rest is not looked at."""


class Questions:
    """Embeds questions; the last `REMEMBERED` are not embedded again."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[tuple[EmbedderKey, str], Sequence[float]] = OrderedDict()

    async def vector(self, question: str) -> tuple[EmbedderKey, Sequence[float]]:
        """Return the vector of *question* and whose it is.

        Raises:
            UpstreamError: No embedder answers.
        """
        key = await self._embedder.key()
        known = self._known.get((key, question))
        if known is None:
            [known] = await self._embedder.embed(key, [question], "question")
            self._known[key, question] = known
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end((key, question))
        return key, known
