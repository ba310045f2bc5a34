"""`palabre ...` in a process of its own, with an environment that the test gives."""

import subprocess
import sys
from pathlib import Path


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
