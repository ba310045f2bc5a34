"""`tools/conformance_table.py`: the table of sentences and tests."""

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[3] / "tools" / "conformance_table.py"


def test_the_table_is_up_to_date_and_every_test_names_its_sentence() -> None:
    done = subprocess.run(
        [sys.executable, TOOL, "--check"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
