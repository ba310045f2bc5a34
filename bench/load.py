"""The load generator: `wsload.c`, built when it is newer than its program."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from subprocess import PIPE

from bench.target import Target, go_first

HERE = Path(__file__).parent
BUILD = HERE / "build"
LIMIT_S = 120
SETTLE_S = 0.5
"""Longer than lists of users are held back after the last one came."""

Figures = Mapping[str, float]


class NotMeasuredError(Exception):
    """A figure cannot be had here; *who* could not, and why."""

    def __init__(self, who: str, why: str) -> None:
        super().__init__(f"{who}: {why[:200]}")


def build() -> Path:
    """Return the load generator, compiled.

    Raises:
        NotMeasuredError: There is no compiler, or it refuses.
    """
    source, program = HERE / "wsload.c", BUILD / "wsload"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    BUILD.mkdir(exist_ok=True)
    command = ["gcc", "-O2", "-o", str(program), str(source)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise NotMeasuredError("gcc", "not installed") from error
    except subprocess.CalledProcessError as error:
        raise NotMeasuredError("gcc", error.stderr) from error
    return program


def wsload(mode: str, target: Target, *options: str, text: str = "{text}") -> Figures:
    """Load *target* and return what the generator counted.

    Raises:
        NotMeasuredError: The generator failed, or the server lost connections.
    """
    command = [
        str(build()),
        mode,
        f"ws://127.0.0.1:{target.port}/ws?nick=u{{i}}",
        *("--no-join", "--quiet", "--ready", '"userlist"'),
        *("--msg", json.dumps({"type": "message", "text": text})),
        *("--pid", str(target.pid), "--settle", str(SETTLE_S)),
        *options,
    ]
    figures: dict[str, float] = json.loads(_output_of(command))
    if figures.get("stalled") or figures.get("closed"):
        raise NotMeasuredError("wsload", f"{mode}: the server stalled or closed connections")
    return figures


def _output_of(command: list[str]) -> str:
    with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True, start_new_session=True) as (
        process
    ):
        go_first(process.pid)
        try:
            output, errors = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise NotMeasuredError("wsload", f"no end after {LIMIT_S} s") from error
    if process.returncode:
        raise NotMeasuredError("wsload", f"{command[1]}: {errors.strip()}")
    return output
