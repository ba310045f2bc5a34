"""`palabre ...`, in this process or in one of its own with an environment that the test gives."""

import subprocess
import sys
from pathlib import Path

import pytest

from palabre.app.cli.main import main


def palabre(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    program = "from palabre.app.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={"HOME": str(cwd), "PATH": "/usr/bin:/bin", "COLUMNS": "200", **variables},
        check=False,
        timeout=60,
    )


def exit_code(*arguments: str) -> int:
    """Run the command in this process and return how it ended."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    code = ended.value.code or 0
    assert isinstance(code, int)
    return code
