"""One speaker made of several: the first that can speaks, within the limits of seed 000 §7."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

from palabre.adapters.speech.wav import checked_wav
from palabre.core.models.errors import ModelBusyError, SilentServerError, reason_of
from palabre.core.models.slots import CallSlots
from palabre.core.speech.errors import NothingToSayError, NoVoiceError
from palabre.core.speech.model import Voice
from palabre.core.speech.ports import Speaker
from palabre.core.speech.words import sayable
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import Text, text

_log = logging.getLogger(__name__)


class NamedSpeaker(Speaker, Protocol):
    """An engine or a server, whose WAV is checked by others."""

    name: str


class FirstSpeaker:
    """Lets the first of several speakers that can say what is to be said.

    Args:
        speakers: Best first; none of them may be there.
        slots: Syntheses at once; more wait.
        timeout_s: Longest synthesis, counted from when it has its slot.
        absent: Why there are no other speakers.
    """

    def __init__(
        self,
        speakers: Sequence[NamedSpeaker],
        slots: CallSlots,
        *,
        timeout_s: float,
        absent: Sequence[Text] = (),
    ) -> None:
        self.speakers = tuple(speakers)
        self._slots = slots
        self._timeout_s = timeout_s
        self._absent = tuple(absent)

    async def speak(self, words: str, voice: Voice) -> bytes:
        """Say *words*; see `Speaker.speak`. What is too long is cut."""
        return (await self.say(words, voice))[0]

    async def say(self, words: str, voice: Voice) -> tuple[bytes, str]:
        """Say *words*; tell who did."""
        said = sayable(words)
        if not said:
            raise NothingToSayError
        async with self._slots.hold(voice.speaker):
            deadline_s = asyncio.get_running_loop().time() + self._timeout_s
            return await self._first(said, voice, deadline_s)

    async def aclose(self) -> None:
        """Close all of them."""
        await asyncio.gather(*(each.aclose() for each in self.speakers))

    async def _first(self, words: str, voice: Voice, deadline_s: float) -> tuple[bytes, str]:
        reasons: list[Text] = []
        for speaker in self.speakers:
            try:
                return await _say(speaker, words, voice, deadline_s), speaker.name
            except (NothingToSayError, ModelBusyError):
                raise
            except NoVoiceError:
                reasons.append(text("voice.no_language", service=speaker.name))
            except UpstreamError as error:
                _log.warning("%s does not speak: %s %s", speaker.name, error.code, error.data)
                reasons.append(reason_of(error))
                if speaker is self.speakers[-1] or _is_past(deadline_s):
                    raise
        raise NoVoiceError([*reasons, *self._absent])


async def _say(speaker: NamedSpeaker, words: str, voice: Voice, deadline_s: float) -> bytes:
    try:
        async with asyncio.timeout_at(deadline_s):
            wav = await speaker.speak(words, voice)
    except TimeoutError:
        raise SilentServerError(service=speaker.name) from None
    return await asyncio.to_thread(checked_wav, wav, speaker.name)


def _is_past(deadline_s: float) -> bool:
    return asyncio.get_running_loop().time() >= deadline_s
