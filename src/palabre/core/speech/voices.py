"""Which voice a persona has (seed 000 §7)."""

from palabre.core.personas.model import Persona
from palabre.core.speech.model import Voice

DEFAULT_VOICE = "fr_FR-siwis-medium"


def voice_of(persona: Persona) -> Voice:
    """Return the voice that *persona* names, or that of everybody else."""
    return Voice(persona.voice or DEFAULT_VOICE, speaker=persona.nick)
