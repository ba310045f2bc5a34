"""How the simulated speech server sounds and hears, written as TOML. See `docs/simulators.md`."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from palabre.sim.script import Table, read_script


class Task(StrEnum):
    """What a call asks for."""

    SPEECH = "speech"
    """Both `/v1/audio/speech` and `/tts`."""
    CLONE = "clone"
    COMPOSE = "compose"
    TRANSCRIPTION = "transcription"


class Fault(StrEnum):
    """How a call fails."""

    HTTP = "http"
    """A status (500 unless the rule says otherwise) and a JSON error."""
    BUSY = "busy"
    """429 with Retry-After."""
    CUT = "cut"
    """Half an answer, then the connection closes."""
    HANG = "hang"
    """No answer at all."""
    LYING = "lying"
    """Sound whose header promises 4 GiB, as of servers that write it before they know."""
    NOT_AUDIO = "not_audio"
    """200 and a page, under the name of sound (or of JSON)."""
    TOO_LARGE = "too_large"
    """Valid sound, and then silence up to `large_bytes`."""


Delay = Annotated[float, Field(ge=0)]


class Answer(Table):
    """One rule; the first that fits a call, and is not used up, answers it.

    Attributes:
        task: What was asked for; None fits all.
        when: Part of the text or prompt, or of the name of a file to be heard, letters' case
            aside; None fits all.
        voice: The voice, speaker or persona, letters' case aside; None fits all.
        text: What is heard in a file; None recognises the server's own sound only.
        language: Of what is heard, as two letters.
        delay_s: Wait before the answer; None takes the script's.
        error: How it fails.
        status: HTTP status of `http`.
        times: How often it answers; None is for ever.
    """

    task: Task | None = None
    when: str | None = None
    voice: str | None = None
    text: str | None = None
    language: Annotated[str, Field(pattern=r"^[a-z]{2}$")] = "fr"
    delay_s: Delay | None = None
    error: Fault | None = None
    status: Annotated[int, Field(ge=400, le=599)] = 500
    times: Annotated[int, Field(gt=0)] | None = None

    def fits(self, task: Task, words: str, voice: str) -> bool:
        """Say whether this rule answers a call."""
        return (
            (self.task is None or self.task is task)
            and (self.when is None or self.when.casefold() in words.casefold())
            and (self.voice is None or self.voice.casefold() == voice.casefold())
        )


class Script(Table):
    """A whole simulated speech server.

    Attributes:
        delay_s: Wait before each answer.
        chars_per_s: Pace of its speech at speed 1.
        large_bytes: Size of the answers that are too large; over the 50 MB that are allowed.
        model: Names that `/v1/models` lists.
        answer: The rules.
    """

    delay_s: Delay = 0.0
    chars_per_s: Annotated[float, Field(ge=1, le=1000)] = 14.0
    large_bytes: Annotated[int, Field(gt=0)] = 64 << 20
    model: tuple[str, ...] = ("tts-1", "gpt-4o-mini-tts", "whisper-1")
    answer: tuple[Answer, ...] = ()


def parse_script(source: str) -> Script:
    """Read a script.

    Raises:
        ScriptError: *source* is not TOML, or has mistakes; all of them are told.
    """
    return read_script(source, Script)
