"""The personas as they speak: the files with what editors want laid over them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from palabre.core.editorial.errors import PersonaNotFoundError
from palabre.core.editorial.model import DeskPersona, PersonaEdit
from palabre.core.editorial.overlay import Desk, InHouseWords, laid_over
from palabre.core.editorial.ports import EditStore
from palabre.core.personas.model import Cast
from palabre.core.personas.ports import PersonaLibrary
from palabre.kernel.ids import PersonaId

_MAX_TOLD_CHARS = 100


@dataclass(frozen=True, slots=True)
class HeldPersonas:
    """All personas and what editors want of them, which nobody else changes meanwhile."""

    all: tuple[DeskPersona, ...]
    edits: Sequence[PersonaEdit]

    def edit_of(self, persona_id: PersonaId, now: datetime) -> PersonaEdit:
        """Return what editors want of a persona; one of *now* that wants nothing, if none does."""
        known = {each.persona_id: each for each in self.edits}
        return known.get(persona_id) or PersonaEdit(persona_id=persona_id, made_at=now)


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
        return self._laid_over(await self.written(), await self._edits.edits())

    async def hold(self, written: Cast) -> HeldPersonas:
        """Return the personas of *written* and those that editors made, inside a transaction.

        Nobody else changes any until it ends. The files are read before: others wait meanwhile.

        Raises:
            StorageError: As `load`.
        """
        edits = await self._edits.edits(to_change=True)
        return HeldPersonas(self._laid_over(written, edits).personas, edits)

    def _laid_over(self, written: Cast, edits: Sequence[PersonaEdit]) -> Desk:
        return laid_over(written, edits, in_house_words=self.in_house_words, model=self._model)


def persona_of(persona_id: str, personas: Sequence[DeskPersona]) -> DeskPersona:
    """Return the one of *personas* that has the id *persona_id*.

    Raises:
        PersonaNotFoundError: None has.
    """
    found = next((each for each in personas if each.id == persona_id), None)
    if found is None:
        raise PersonaNotFoundError(persona=persona_id[:_MAX_TOLD_CHARS])
    return found
