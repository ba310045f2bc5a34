"""Voices that speak on this machine: Piper, Kokoro, espeak-ng."""

from collections.abc import Mapping
from pathlib import Path

from palabre.adapters.speech.child import EngineChild, start
from palabre.core.speech.errors import NoVoiceError
from palabre.core.speech.model import Voice
from palabre.kernel.errors import UpstreamError

PIPER, KOKORO, ESPEAK = "Piper", "Kokoro", "espeak-ng"


class PiperSpeaker:
    """Piper's voices.

    Args:
        voices: Where each lies, by its name, such as `fr_FR-siwis-medium`; at least one.
        threads: Of one synthesis.
    """

    name = PIPER

    def __init__(self, voices: Mapping[str, Path], threads: int = 1) -> None:
        self._voices = tuple(voices)
        paths = {name: str(path) for name, path in voices.items()}
        options: dict[str, object] = {"voices": paths, "threads": threads}
        self.child = EngineChild(PIPER, "palabre.adapters.speech.piper_child", options)

    async def speak(self, words: str, voice: Voice) -> bytes:
        """Say *words*; a voice that is absent is replaced by one of the same language.

        Raises:
            NoVoiceError: There is none of that language.
            UpstreamError: As `EngineChild.say`.
        """
        name = self.nearest(voice)
        if name is None:
            raise NoVoiceError
        return await self.child.say(words, name, voice.language)

    def nearest(self, voice: Voice) -> str | None:
        """Return the name of the voice that speaks for *voice*; None without one."""
        if voice.name in self._voices:
            return voice.name
        of_language = (name for name in self._voices if name.startswith(voice.language))
        return next(of_language, None)

    async def aclose(self) -> None:
        """End the process."""
        await self.child.aclose()


class KokoroSpeaker:
    """The embedded voice.

    Args:
        model: The weights.
        styles: The file of a voice for each language.
        threads: Of one synthesis.
    """

    name = KOKORO

    def __init__(self, model: Path, styles: Mapping[str, Path], threads: int = 1) -> None:
        self._languages = frozenset(styles)
        options: dict[str, object] = {
            "model": str(model),
            "styles": {language: str(path) for language, path in styles.items()},
            "threads": threads,
        }
        self.child = EngineChild(KOKORO, "palabre.adapters.speech.kokoro_child", options)

    async def speak(self, words: str, voice: Voice) -> bytes:
        """Say *words*.

        Raises:
            NoVoiceError: It has no voice of that language.
            UpstreamError: As `EngineChild.say`.
        """
        if voice.language not in self._languages:
            raise NoVoiceError
        return await self.child.say(words, voice.name, voice.language)

    async def aclose(self) -> None:
        """End the process."""
        await self.child.aclose()


class EspeakSpeaker:
    """The robot that is there when nothing else is.

    Args:
        binary: Path of `espeak-ng`.
    """

    name = ESPEAK

    def __init__(self, binary: str) -> None:
        self._binary = binary

    async def speak(self, words: str, voice: Voice) -> bytes:
        """Say *words*, which it gets on standard input: no word is an option.

        Raises:
            UpstreamError: It fails.
        """
        command = (self._binary, "-v", voice.language, "-b", "1", "--stdin", "--stdout")
        process = await start(ESPEAK, *command)
        try:
            wav, _ = await process.communicate(words.encode())
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            raise UpstreamError(detail=f"{ESPEAK}: exit code {process.returncode}")
        return wav

    async def aclose(self) -> None:
        """There is nothing to end."""
