"""What must not be in the repository is found."""

from pathlib import Path

import pytest
from tools.check_repository import LARGEST_BYTES, licence, problems_of

HERE = Path("docs/page.md")


@pytest.mark.parametrize(
    "line",
    [
        "https://files.python" + "hosted.org/x",
        "https://py" + "pi.org/simple",
        "registry.npm" + "js.org",
        "--index" + "-url http://x",
        "/ro" + "ot/.cache/x",
        "/ho" + "me/somebody/palabre",
        "C:\\Us" + "ers\\somebody",
    ],
)
def test_registries_and_paths_of_a_machine_are_found_with_their_line(line: str) -> None:
    (problem,) = problems_of(HERE, f"first\n{line}\n".encode())
    assert problem.startswith("docs/page.md:2: ")


@pytest.mark.parametrize("line", ["src/root/x", "~/.cache/palabre", "/usr/bin/python3", "/web"])
def test_other_paths_may_stand(line: str) -> None:
    assert not list(problems_of(HERE, line.encode()))


def test_a_huge_file_must_be_listed() -> None:
    assert not list(problems_of(HERE, b"\0" * LARGEST_BYTES))
    assert len(list(problems_of(HERE, b"\0" * (LARGEST_BYTES + 1)))) == 1


@pytest.mark.parametrize("path", [".env", "a/node_modules/b.js", "x/__pycache__/y", "m.gguf"])
def test_what_is_made_or_secret_is_never_tracked(path: str) -> None:
    assert len(list(problems_of(Path(path), b""))) == 1


def test_the_licence_must_be_there(tmp_path: Path) -> None:
    assert len(list(licence(tmp_path))) == 1
    (tmp_path / "LICENSE").write_text("Apache License")
    assert not list(licence(tmp_path))
