"""The personas as they speak: the files with what editors want laid over them."""

from collections.abc import Sequence

from palabre.core.editorial.model import PersonaEdit
from palabre.core.editorial.overlay import Desk, InHouseWords, laid_over
from palabre.core.editorial.ports import EditStore
from palabre.core.personas.model import Cast
from palabre.core.personas.ports import PersonaLibrary


class EditedLibrary:
    """`PersonaLibrary` over another one.

    Args:
        written: The files.
        edits: What editors want.
        in_house_words: For what models are told.
        model: What a persona wishes for of whom that is not known.

    Attributes:
        total: How many personas there were at the last `load`, those who do not speak as well.
    """

    def __init__(
        self,
        written: PersonaLibrary,
        edits: EditStore,
        *,
        in_house_words: InHouseWords,
        model: str,
    ) -> None:
        self.in_house_words = in_house_words
        self._written = written
        self._edits = edits
        self._model = model
        self._revision = 0
        self.total = 0

    async def load(self) -> Cast:
        """Return those who speak; see `PersonaLibrary.load`.

        Raises:
            StorageError: What editors want cannot be read.
        """
        self._revision = await self._edits.revision()
        desk = await self.desk()
        self.total = len(desk.personas)
        return desk.cast

    async def is_outdated(self) -> bool:
        """Say whether anything was edited since `load`, by whatever process.

        Raises:
            StorageError: As `load`.
        """
        return await self._edits.revision() != self._revision

    async def written(self) -> Cast:
        """Return what the files say.

        Raises:
            SetupError: As `PersonaLibrary.load`.
        """
        return await self._written.load()

    async def desk(self) -> Desk:
        """Return all personas, as editors see them.

        Raises:
            SetupError: As `PersonaLibrary.load`.
            StorageError: As `load`.
        """
        return self.laid_over(await self.written(), await self._edits.edits())

    def laid_over(self, written: Cast, edits: Sequence[PersonaEdit]) -> Desk:
        """Return the personas of *written* as *edits* want them."""
        return laid_over(written, edits, in_house_words=self.in_house_words, model=self._model)
