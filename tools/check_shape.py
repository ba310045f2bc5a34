"""Check what no linter checks: sizes, names, mirrored tests, texts, generated documents.

Run without arguments in the repository's root; prints one problem a line and exits with 1.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULE_LINES, FUNCTION_LINES = 400, 50
BANNED_NAMES = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"}
MIRRORED = (
    *("adapters/telemetry", "app", "core", "features", "kernel"),
    *("surfaces/operations", "surfaces/rooms", "texts", "wire"),
)
TESTED_WHOLE = {
    "app/bootstrap": "by every test of tests/flow",
    "app/parts": "by every test of tests/flow",
    "app/kxkm_editorial": "by tests/contract/test_kxkm_import.py",
    "app/kxkm_import": "by tests/contract/test_kxkm_import.py",
    "app/kxkm_opinions": "by tests/contract/test_kxkm_import.py",
    "app/mcp_sources": "by tests/e2e/test_mcp_sources.py",
    "core/chat/house": "by every test of tests/flow",
    "surfaces/rooms/feedback": "by tests/flow/conformance/test_15_personas.py",
    "surfaces/rooms/uploads": "by tests/flow/test_http_uploads.py",
    "surfaces/rooms/tui": "by snapshots of its screens",
}
"""Not mirrored, and how it is tested instead."""

DECIDES = (
    ast.If, ast.IfExp, ast.For, ast.While, ast.Match, ast.Try, ast.BoolOp, ast.comprehension,
)  # fmt: skip
TELLERS = {"Text", "announce", "answer", "text"}
SILENT_CODES = ("error.", "page.", "verbatim")


@dataclass(frozen=True, slots=True)
class Module:
    """One file of Python; *path* is relative to the checked root."""

    path: Path
    source: str
    tree: ast.Module

    @property
    def place(self) -> tuple[str, ...]:
        """Its parts below `src/palabre`, the last without `.py`; empty if it lies elsewhere."""
        parts = self.path.with_suffix("").parts
        return parts[2:] if parts[:2] == ("src", "palabre") else ()


def read_modules(root: Path, *folders: str) -> list[Module]:
    found = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            if "build" not in path.relative_to(root).parts:
                source = path.read_text(encoding="utf-8")
                found.append(Module(path.relative_to(root), source, ast.parse(source)))
    return found


def sizes(module: Module) -> Iterator[str]:
    lines = module.source.count("\n")
    if lines > MODULE_LINES:
        yield f"{module.path}: {lines} lines, at most {MODULE_LINES}"
    for node in _functions(module.tree):
        length = (node.end_lineno or 0) - node.lineno + 1
        if length > FUNCTION_LINES:
            place = f"{module.path}:{node.lineno}: {node.name}"
            yield f"{place}: {length} lines, at most {FUNCTION_LINES}"


def names(module: Module) -> Iterator[str]:
    for part in module.path.with_suffix("").parts:
        if part.strip("_") in BANNED_NAMES:
            yield f"{module.path}: {part}: name it after what it does"


def mirror(module: Module, root: Path) -> Iterator[str]:
    """Demand a test of the same place and name for each module that decides something.

    A folder may be tested as one thing instead, by a file of its name beside it.
    """
    place = module.place
    if not _below(MIRRORED, place) or _below(TESTED_WHOLE, place) or not _decides(module.tree):
        return
    if place[:2] == ("features", "commands"):
        yield from spoken(module, root)
        return
    stem = place[-2] if place[-1] == "__init__" else place[-1].strip("_")
    folder = Path("tests/unit").joinpath(*place[:-1])
    whole = folder.with_name(f"test_{folder.name}.py")
    candidates = [folder / f"test_{stem}.py", *_by_kind(place, stem), whole]
    if not any((root / candidate).exists() for candidate in candidates):
        yield f"{module.path}: no {candidates[0]}"


def _below(folders: Iterable[str], place: tuple[str, ...]) -> bool:
    path = f"{'/'.join(place)}/"
    return any(path.startswith(f"{folder}/") for folder in folders)


def spoken(module: Module, root: Path) -> Iterator[str]:
    """Demand that a flow test uses a slash command: it is what its words do in a room."""
    words = f'"/{module.place[-1]}'
    flows = (root / "tests/flow").rglob("test_*.py")
    if not any(words in flow.read_text(encoding="utf-8") for flow in flows):
        yield f"{module.path}: no test below tests/flow says {words[1:]}"


def _by_kind(place: tuple[str, ...], stem: str) -> Iterator[Path]:
    """Protocols are tested in `tests/wire`, with golden frames."""
    if place[0] == "wire":
        yield Path("tests/wire") / f"test_{stem}.py"


def _decides(tree: ast.Module) -> bool:
    return any(isinstance(node, DECIDES) for body in _functions(tree) for node in ast.walk(body))


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def same_keys(
    french: dict[str, str], english: dict[str, str], needs: Callable[[str], set[str]]
) -> Iterator[str]:
    """Demand the same texts in both languages, with the same placeholders."""
    for code in sorted(french.keys() - english.keys()):
        yield f"en.toml: no text for {code}"
    for code in sorted(english.keys() - french.keys()):
        yield f"fr.toml: no text for {code}"
    for code in sorted(french.keys() & english.keys()):
        if needs(french[code]) != needs(english[code]):
            yield f"{code}: not the same placeholders in fr.toml and en.toml"


def error_codes(modules: Iterable[Module]) -> set[str]:
    """Return the codes of all error classes."""
    classes = (node for m in modules for node in ast.walk(m.tree) if isinstance(node, ast.ClassDef))
    return {
        statement.value.value
        for node in classes
        if node.name.endswith("Error")
        for statement in node.body
        if _assigns_code(statement)
        and isinstance(statement, ast.Assign | ast.AnnAssign)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    }


def _assigns_code(statement: ast.stmt) -> bool:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return any(isinstance(target, ast.Name) and target.id == "code" for target in targets)


def error_texts(codes: set[str], known: Iterable[str]) -> Iterator[str]:
    """Demand a text for each error, and an error for each text."""
    texts = {code.removeprefix("error.") for code in known if code.startswith("error.")}
    yield from (f"fr.toml: no text for error.{code}" for code in sorted(codes - texts))
    yield from (f"fr.toml: error.{code} is no error's code" for code in sorted(texts - codes))


def unknown_texts(module: Module, known: Iterable[str]) -> Iterator[str]:
    """Demand that each code a module says by name has a text."""
    codes = set(known)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and _called(node) in TELLERS and node.args:
            pattern = _pattern(node.args[0])
            if pattern and not any(re.fullmatch(pattern, code) for code in codes):
                yield f"{module.path}:{node.lineno}: no text is called like this"


def unused_texts(modules: Iterable[Module], known: Iterable[str]) -> Iterator[str]:
    """Demand that each text is named somewhere, as a whole or as a pattern."""
    patterns = {
        _pattern(node)
        for module in modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant | ast.JoinedStr)
    }
    one = re.compile("|".join(sorted(f"(?:{each})" for each in patterns if each)))
    for code in known:
        if not code.startswith(SILENT_CODES) and not one.fullmatch(code):
            yield f"fr.toml: nobody says {code}"


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _pattern(node: ast.expr) -> str:
    """Return the texts' codes that *node* may be, as a regular expression; else nothing."""
    if isinstance(node, ast.Constant):
        value = node.value if isinstance(node.value, str) else ""
        return re.escape(value) if re.fullmatch(r"[a-z_]+(\.[a-z0-9_-]+)*", value) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    parts = [
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"[a-z0-9_.-]+"
        for part in node.values
    ]
    return "".join(parts) if re.match(r"[a-z_]+\\\.", parts[0]) else ""


def problems(root: Path) -> Iterator[str]:
    from palabre.texts import catalogue, placeholders  # noqa: PLC0415 - tests need no package

    french, english = catalogue("fr"), catalogue("en")
    product = read_modules(root, "src")
    for module in [*product, *read_modules(root, "tests", "tools", "bench")]:
        yield from (*sizes(module), *names(module), *mirror(module, root))
    for module in product:
        yield from unknown_texts(module, french)
    yield from same_keys(french, english, placeholders)
    yield from error_texts(error_codes(product), french)
    yield from unused_texts(product, french)


def main() -> int:
    found = list(problems(ROOT))
    print("".join(f"{problem}\n" for problem in found), end="")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
