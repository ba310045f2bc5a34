"""Write `docs/protocol/conformance.md`: which test shows which sentence of the rooms' contract.

A test's docstring names what it shows, one a line: `§5.1 — words of the sentence`, or
`Decision — what was decided` where the contract is silent. `--check` exits with 1 if the document
is not up to date.
"""

import ast
import re
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "protocol" / "conformance.md"
SOURCES = ("tests/flow/conformance/test_*.py", "tests/wire/test_rooms.py")
LINE = re.compile(r"(?P<section>§[\d.]+|Decision) — (?P<words>.+)")

HEAD = """<!-- Made by tools/conformance_table.py: change the tests, then run it. -->
# Conformance of the rooms

The rooms' contract is seed 000. Each row is a sentence of it, in a few of its own words, and a test
that fails when the program says or does something else. All of them but those of `tests/wire` go
through a real socket, with a scripted model behind it.

"""
ELSEWHERE = (
    (
        "§5.3, §5.10, §14",
        "reading of files, and uploads over HTTP",
        "`tests/contract/test_file_readers.py`, `tests/flow/test_http_uploads.py`",
    ),
    (
        "§5.4",
        "the client's back-off and its three states",
        "`tests/unit/web`, `tests/unit/surfaces/rooms/tui`",
    ),
    ("§5.7", "`audio`, `image`, `music`", "their bytes in `tests/wire` too"),
    ("§5.8", "Ollama's stream, however it is cut", "`tests/contract/test_chat_models.py`"),
    ("§5.8", "calls of tools, in both dialects", "`tests/contract`, `tests/e2e`"),
    ("§13.2", "faults of ComfyUI and of `/compose`", "`tests/contract`"),
    (
        "§13.2",
        "the tickers of `/imagine` and `/compose`",
        "`tests/unit/core/chat/test_waiting.py`",
    ),
    ("§15, §16", "Node Engine: its routes and schemas", "not yet"),
    (
        "§15, §16",
        "every other route, asked whatever chance finds, on both databases",
        "`tests/flow/test_openapi_fuzz.py`",
    ),
    (
        "§15",
        "every route for every role, inside and outside of the administrators' network",
        "`tests/flow/test_every_route.py`",
    ),
)


ROWS = (
    "GET /api/v2/health", "GET /api/v2/status", "POST /api/session/login",
    "GET /api/session", "POST /api/session/logout", "GET /api/chat/channels",
    "GET /api/personas", "GET /api/personas/:id",
    "GET /api/v2/chat/history", "GET /api/v2/chat/history/:date", "GET /api/v2/chat/search",
    "GET /api/v2/export/html", "GET /api/v2/perf", "GET /api/v2/analytics", "GET /api/v2/errors",
    "GET /api/v2/export/dpo", "POST /api/v2/admin/retention-sweep",
    "POST /api/admin/personas", "PUT /api/admin/personas/:id",
    "POST /api/admin/personas/:id/toggle",
    "GET /api/admin/personas/:id/source", "PUT /api/admin/personas/:id/source",
    "GET /api/admin/personas/:id/feedback", "GET /api/admin/personas/:id/proposals",
    "POST /api/admin/personas/:id/reinforce", "POST /api/admin/personas/:id/revert",
    "POST /api/admin/personas/:id/voice-sample", "DELETE /api/admin/personas/:id/voice-sample",
    "GET /api/admin/personas/:id/voice-sample",
    "GET /api/v2/media/images", "GET /api/v2/media/audio",
    "GET /api/v2/media/images/:filename", "GET /api/v2/media/audio/:filename",
)  # fmt: skip
"""Every row of §15 but those of the Node Engine; a test must name it."""

SCHEMAS = (
    "wsMessageSchema", "loginSchema", "createPersonaSchema", "updatePersonaSchema",
    "togglePersonaSchema", "updatePersonaSourceSchema", "reinforcePersonaSchema",
    "voiceSampleSchema", "retentionSweepSchema",
)  # fmt: skip
"""Every schema of §16 but those of the Node Engine."""


class Row(NamedTuple):
    """One sentence and the test that shows it."""

    section: str
    words: str
    test: str


def rows_of(path: Path) -> Iterator[Row]:
    """Return what the tests of *path* show.

    Raises:
        ValueError: A test does not say what it shows.
    """
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if not node.name.startswith("test_"):
            continue
        lines = (ast.get_docstring(node) or "").splitlines()
        found = [match for match in map(LINE.fullmatch, lines) if match]
        if not found or len(found) != len(lines):
            msg = f"{path.name}: {node.name} does not say which sentence it shows"
            raise ValueError(msg)
        test = f"{path.relative_to(ROOT).as_posix()}::{node.name}"
        yield from (Row(match["section"], match["words"].strip(), test) for match in found)


def page() -> str:
    """Return the whole document."""
    paths = sorted(path for pattern in SOURCES for path in ROOT.glob(pattern))
    rows = sorted(set(row for path in paths for row in rows_of(path)), key=_place)
    _demand_all(rows)
    parts = [HEAD]
    for section, group in groupby(rows, key=lambda row: row.section):
        title = "Decisions" if section == "Decision" else section
        parts.append(f"## {title}\n\n| sentence | tests |\n|---|---|\n")
        for words, same in groupby(group, key=lambda row: row.words):
            tests = "<br>".join(f"`{row.test.removeprefix('tests/')}`" for row in same)
            parts.append(f"| {_cell(words)} | {tests} |\n")
        parts.append("\n")
    parts.append("## Shown elsewhere, or not here yet\n\n")
    parts.append("| section | what | where |\n|---|---|---|\n")
    parts += (f"| {' | '.join(row)} |\n" for row in ELSEWHERE)
    return "".join(parts)


def _demand_all(rows: list[Row]) -> None:
    """Look for what no test shows.

    Raises:
        ValueError: There is something.
    """
    for section, wanted in (("§15", ROWS), ("§16", SCHEMAS)):
        words = [row.words.replace("`", "") for row in rows if row.section == section]
        for each in wanted:
            if not any(re.search(rf"{re.escape(each)}(?![\w/-]|:\w)", said) for said in words):
                msg = f"no test shows {each} of {section}"
                raise ValueError(msg)


def _place(row: Row) -> tuple[list[int], str, str]:
    numbers = [int(number) for number in re.findall(r"\d+", row.section)]
    return (numbers or [999], row.words, row.test)


def _cell(words: str) -> str:
    return words.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def main() -> int:
    """Write the document, or check it."""
    wanted = page()
    if "--check" not in sys.argv[1:]:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(wanted, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == wanted:
        return 0
    print(f"{PAGE.relative_to(ROOT)} is not up to date: run python tools/conformance_table.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
