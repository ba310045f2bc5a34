"""The vendored files of the page are those that were pinned."""

import importlib.util
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
TOOL = ROOT / "tools" / "vendor.py"


def _tool():
    spec = importlib.util.spec_from_file_location("vendor", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules["vendor"] = module
    spec.loader.exec_module(module)
    return module


vendor = _tool()


def _entry(**changes):
    fields = {
        "package": "p",
        "version": "1",
        "licence": "MIT",
        "source": "a.js",
        "target": "a.js",
        "sha256": vendor.digest(b"one\n"),
    }
    return vendor.VendoredFile(**fields | changes)


def test_the_vendored_files_have_their_hashes() -> None:
    done = subprocess.run(
        [sys.executable, TOOL, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_a_changed_a_missing_and_an_unknown_file_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_bytes(b"two\n")
    (tmp_path / "c.js").write_bytes(b"three\n")
    found = vendor.faults(tmp_path, [_entry(), _entry(target="b.js")])
    assert [fault.split(":")[0] for fault in found] == ["a.js", "b.js", "c.js"]


def test_a_file_as_it_was_pinned_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_bytes(b"one\n")
    assert vendor.faults(tmp_path, [_entry()]) == []


def test_bare_imports_become_relative_and_the_source_map_goes() -> None:
    source = 'import{h}from"preact";export*from \'preact\';import"preact/hooks";\n//# sourceMappingURL=a.map'
    imports = {"preact": "./preact.js", "preact/hooks": "./hooks.js"}
    expected = 'import{h}from"./preact.js";export*from \'./preact.js\';import"./hooks.js";\n'
    assert vendor.with_relative_imports(source, imports) == expected


def test_every_import_of_a_vendored_module_is_relative() -> None:
    folder, entries = vendor.read_manifest(vendor.MANIFEST)
    for entry in entries:
        if entry.target.endswith(".js"):
            source = (folder / entry.target).read_text(encoding="utf-8")
            assert 'from"p' not in source
            assert 'from"@' not in source
