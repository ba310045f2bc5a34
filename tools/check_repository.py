"""Check what may be in the repository: no registries, no developer's paths, nothing huge.

Run without arguments in the repository's root; prints one problem a line and exits with 1.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST_BYTES = 1024 * 1024
LARGE_FILES: dict[str, str] = {}
"""Larger files that must be here, each with the reason."""

# Square brackets keep these patterns from finding themselves.
REGISTRIES = re.compile(
    r"p[y]pi\.org|python[h]osted\.org|npm[j]s\.(?:org|com)|yarn[p]kg\.com|crates\.[i]o"
    r"|proxy\.gola[n]g\.org|--(?:extra-)?[i]ndex-url|repo\.mav[e]n",
    re.IGNORECASE,
)
PERSONAL_PATHS = re.compile(
    r"(?<![\w.])(?:/ro[o]t|/wo[r]k|/h[o]me/\w+|/U[s]ers/\w+)/|\b[A-Z]:\\U[s]ers\\"
)
NEVER_TRACKED = re.compile(
    r"(?:^|/)(?:\.env|__pycache__|node_modules|\.venv)(?:/|$)|\.pyc$|\.gguf$"
)
ALLOWED = {"--no-emit-" + "index-url"}


def tracked(root: Path) -> list[Path]:
    """Return the files that git has or would take, relative to *root*."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout
    names = (name for name in listed.decode().split("\0") if name)
    return sorted({Path(name) for name in names if (root / name).is_file()})


def problems_of(path: Path, content: bytes) -> Iterator[str]:
    """Yield what is wrong with the file *path* of this *content*."""
    if NEVER_TRACKED.search(path.as_posix()):
        yield f"{path}: does not belong in a repository"
    if len(content) > LARGEST_BYTES and path.as_posix() not in LARGE_FILES:
        yield f"{path}: {len(content)} bytes; list it in LARGE_FILES with its reason"
    if b"\0" in content[:8192]:
        return
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        for allowed in ALLOWED:
            line = line.replace(allowed, "")  # noqa: PLW2901 - the rest of it is checked
        if REGISTRIES.search(line):
            yield f"{path}:{number}: names a package registry"
        if PERSONAL_PATHS.search(line):
            yield f"{path}:{number}: holds a path of somebody's machine"


def licence(root: Path) -> Iterator[str]:
    file = root / "LICENSE"
    if not file.is_file() or "Apache License" not in file.read_text(encoding="utf-8"):
        yield "LICENSE: must be the Apache License"


def main() -> int:
    found = list(licence(ROOT))
    for path in tracked(ROOT):
        found += problems_of(path, (ROOT / path).read_bytes())
    print("".join(f"{problem}\n" for problem in found), end="")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
