"""`palabre model test-tts` and `test-stt`: hear a voice, read a recording."""

import asyncio
import json
from contextlib import aclosing
from pathlib import Path
from typing import Annotated

import typer

from palabre.adapters.media.signature_typer import SignatureFileTyper
from palabre.adapters.speech.wav import read_wav
from palabre.app.cli.console import plain_console, shown_json
from palabre.app.cli.options import ConfigOption, JsonOption
from palabre.app.clock import SystemClock
from palabre.app.logs import configure_logs
from palabre.app.settings import Settings, load_settings
from palabre.app.speech import build_speaker, build_transcriber
from palabre.app.uploads import file_reader
from palabre.core.media.model import SharedFile
from palabre.core.speech.errors import NotARecordingError
from palabre.core.speech.model import Transcript, Voice
from palabre.core.speech.voices import DEFAULT_VOICE
from palabre.kernel.text import text
from palabre.texts import say


def test_tts(
    words: Annotated[str, typer.Argument(metavar="TEXT", help="What is said.")],
    *,
    voice: Annotated[str, typer.Option(help="Name of a voice.")] = DEFAULT_VOICE,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the sound (WAV) to this file.")
    ] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say a text with a voice and measure how long that takes.

    **Examples**

    `palabre model test-tts "Bonjour tout le monde."`

    `palabre model test-tts --voice en_GB-alan-medium --out hello.wav "Good evening."`
    """
    settings = load_settings(config=config).settings
    configure_logs("error", settings.logs.format)
    wav, engine, took_s = asyncio.run(_speak(settings, words, voice))
    if out is not None:
        _write(out, wav)
    sound_s = read_wav(wav).duration_s
    if as_json:
        figures = {"engine": engine, "voice": voice, "sound_s": round(sound_s, 3)}
        written = str(out) if out else None
        typer.echo(json.dumps({**figures, "took_s": round(took_s, 3), "file": written}))
        return
    told = text("cli.model.tts.figures", engine=engine, sound_s=sound_s, took_s=took_s)
    plain_console().print(say(told, settings.language))
    if out is not None:
        told = text("cli.model.tts.written", path=str(out))
        plain_console().print(say(told, settings.language), soft_wrap=True)


def test_stt(
    file: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="A recording, of any usual kind.")
    ],
    *,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write down what is said in a recording and measure how long that takes.

    **Examples**

    `palabre model test-stt hello.wav`

    `palabre model test-stt memo.ogg --json`
    """
    settings = load_settings(config=config).settings
    configure_logs("error", settings.logs.format)
    heard, took_s = asyncio.run(_listen(settings, file))
    if as_json:
        typer.echo(shown_json(_as_data(heard, took_s)))
        return
    words = heard.text or say(text("cli.model.stt.nothing"), settings.language)
    plain_console().print(words, soft_wrap=True)
    told = text("cli.model.stt.figures", model=heard.model, sound_s=heard.duration_s, took_s=took_s)
    plain_console().print(say(told, settings.language), style="dim")


async def _speak(settings: Settings, words: str, voice: str) -> tuple[bytes, str, float]:
    clock = SystemClock()
    async with aclosing(build_speaker(settings)) as speaker:
        began_s = clock.monotonic()
        wav, engine = await speaker.say(words, Voice(voice))
        return wav, engine, clock.monotonic() - began_s


async def _listen(settings: Settings, file: Path) -> tuple[Transcript, float]:
    """Return what is said in *file*, and the seconds that listening took."""
    wav = await _recording(settings, file)
    clock = SystemClock()
    async with aclosing(build_transcriber(settings)) as transcriber:
        began_s = clock.monotonic()
        return await transcriber.transcribe(wav), clock.monotonic() - began_s


async def _recording(settings: Settings, file: Path) -> bytes:
    """Return the sound of *file*, decoded as that of shared files is."""
    content = await asyncio.to_thread(file.read_bytes)
    shared = SharedFile(file.name, content, SignatureFileTyper().type_of(file.name, content))
    async with aclosing(file_reader(settings.uploads)) as reader:
        reading = await reader.read(shared)
    if reading.wav is None:
        raise NotARecordingError(name=file.name, mime=shared.type.mime)
    return reading.wav


def _write(path: Path, wav: bytes) -> None:
    try:
        path.write_bytes(wav)
    except OSError as error:
        raise typer.BadParameter(str(error)) from error


def _as_data(heard: Transcript, took_s: float) -> dict[str, object]:
    return {
        "text": heard.text,
        "language": heard.language,
        "model": heard.model,
        "sound_s": heard.duration_s,
        "took_s": round(took_s, 3),
    }
