"""The scripts in the documentation can be played."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from palabre.sim.comfyui.script import parse_script as parse_comfyui
from palabre.sim.ollama import parse_script as parse_ollama
from palabre.sim.script import Table
from palabre.sim.searxng.script import parse_script as parse_searxng
from palabre.sim.speech.script import parse_script as parse_speech

PAGE = Path(__file__).parents[3] / "docs" / "simulators.md"


@pytest.mark.parametrize(
    ("peer", "parse"),
    [
        ("ollama", parse_ollama),
        ("comfyui", parse_comfyui),
        ("searxng", parse_searxng),
        ("speech", parse_speech),
    ],
)
def test_the_script_of_each_peer_has_no_mistake(peer: str, parse: Callable[[str], Table]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    section = page.partition(f": `palabre sim {peer}`\n")[2].partition("\n## ")[0]
    (script,) = re.findall(r"```toml\n(.*?)```", section, re.DOTALL)
    assert parse(script).model_fields_set
