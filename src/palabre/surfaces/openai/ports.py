"""What the routes of `/v1` stand on."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from palabre.core.chat.direct import DirectAnswers
from palabre.core.media.analyst import FileAnalyst
from palabre.core.media.ports import FileTyper
from palabre.core.models.registry import ModelRegistry
from palabre.core.personas.model import Cast, Persona
from palabre.core.speech.ports import Speaker
from palabre.kernel.clock import Clock
from palabre.kernel.ids import Ids
from palabre.surfaces.http.key_gate import KeyGate
from palabre.surfaces.openai.errors import ErrorAnswers, NoSuchModelError


@dataclass(frozen=True, slots=True)
class Ports:
    """What the routes stand on.

    Attributes:
        cast: Returns the personas who answer now: the models.
        embedder: The model that makes vectors where a program leaves that to us.
        speaker: None where nobody is heard.
        samples_at: Returns the samples (16 bit, one channel) of a WAV at a rate in Hz; may block.
        since: When the personas began to be here, for `created`.
        version: Of the program.
    """

    gate: KeyGate
    cast: Callable[[], Cast]
    direct: DirectAnswers
    models: ModelRegistry
    embedder: str
    speaker: Speaker | None
    samples_at: Callable[[bytes, int], bytes]
    analyst: FileAnalyst
    typer: FileTyper
    clock: Clock
    ids: Ids
    errors: ErrorAnswers
    since: datetime
    version: str

    def persona(self, name: str) -> Persona:
        """Return the persona that is called *name*, by its id or nick.

        Raises:
            NoSuchModelError: Nobody is.
        """
        found = self.cast().named(name)
        if found is None:
            raise NoSuchModelError(model=name[:100], param="model")
        return found

    def now_s(self) -> int:
        """Return the seconds since 1970."""
        return int(self.clock.now().timestamp())
