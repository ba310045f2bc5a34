"""The tests of the page's modules, which Node runs."""

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

MODULES = Path(__file__).parent / "modules"
FILES = sorted(path.name for path in MODULES.glob("*.test.mjs"))

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


@cache
def _run(name: str) -> tuple[int, str]:
    command = ["node", "--test", "--test-reporter=tap", str(MODULES / name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", FILES)
def test_every_test_of_the_module_file_passes(name: str) -> None:
    code, output = _run(name)
    failed = re.findall(r"^ *not ok \d+ - .*$", output, re.MULTILINE)
    assert (code, failed) == (0, []), output


@pytest.mark.parametrize("name", FILES)
def test_the_module_file_has_tests(name: str) -> None:
    passed = re.findall(r"^ok \d+ - ", _run(name)[1], re.MULTILINE)
    assert len(passed) >= 5
