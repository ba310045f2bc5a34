"""Persona files are read again when they were changed, and only then."""

import os
import time
from pathlib import Path

import pytest

from palabre.adapters.personas.read_files import ReadFiles
from palabre.core.personas.errors import Problem

LONG_AGO = (1_000_000_000, 1_000_000_000)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "batty.toml"


def write(path: Path, prompt: str, *, long_ago: bool = True) -> None:
    path.write_text(f'nick = "Batty"\ncolor = "#4fc3f7"\nmodel = "m"\nprompt = "{prompt}"\n')
    if long_ago:
        os.utime(path, LONG_AGO)


def prompt(files: ReadFiles, path: Path) -> str:
    [file] = files.read([path])
    assert file.persona
    return file.persona.prompt


def test_what_stays_as_it_was_is_not_read_again(path: Path) -> None:
    write(path, "Tu es là.")
    files = ReadFiles()
    [first], [second] = files.read([path]), files.read([path])
    assert first.persona is second.persona


def test_another_text_of_the_same_length_and_time_is_read(path: Path) -> None:
    write(path, "Tu es là.")
    files = ReadFiles()
    assert prompt(files, path) == "Tu es là."
    time.sleep(0.02)  # a tick of the file system's clock
    write(path, "Tu es ou.")
    assert prompt(files, path) == "Tu es ou."


def test_what_was_just_written_is_read_each_time(path: Path) -> None:
    write(path, "Tu es là.", long_ago=False)
    files = ReadFiles()
    [first], [second] = files.read([path]), files.read([path])
    assert first.persona == second.persona
    assert first.persona is not second.persona


def test_problems_that_are_found_later_do_not_stay(path: Path) -> None:
    write(path, "Tu es là.")
    files = ReadFiles()
    files.read([path])[0].problems.append(Problem(str(path), "same_nick"))
    assert files.read([path])[0].problems == []


def test_what_is_gone_is_gone(path: Path) -> None:
    write(path, "Tu es là.")
    files = ReadFiles()
    files.read([path])
    path.unlink()
    [file] = files.read([path])
    assert file.persona is None
    assert file.problems
