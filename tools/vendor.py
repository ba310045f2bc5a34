"""Keep the web client's third-party files: fetch them at pinned versions, verify their hashes.

python tools/vendor.py            fetch what is missing or differs, with the npm client
python tools/vendor.py --check    verify the files against tools/vendor.toml, offline
python tools/vendor.py --pin      fetch, and write the hashes found into tools/vendor.toml
"""

import argparse
import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "tools" / "vendor.toml"


@dataclass(frozen=True, slots=True)
class VendoredFile:
    """One file of one package, and where it lies here."""

    package: str
    version: str
    licence: str
    source: str
    target: str
    sha256: str
    imports: Mapping[str, str] = field(default_factory=dict)


class VendorError(Exception):
    """A file is missing, unknown, or not what the manifest says."""


def read_manifest(path: Path) -> tuple[Path, list[VendoredFile]]:
    """Return the folder of the vendored files and the files."""
    manifest = tomllib.loads(path.read_text(encoding="utf-8"))
    return ROOT / manifest["folder"], [VendoredFile(**entry) for entry in manifest["file"]]


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def with_relative_imports(source: str, imports: Mapping[str, str]) -> str:
    """Turn bare imports into relative ones: the page's policy allows no inline import map."""
    for bare, relative in imports.items():
        pattern = rf"""(\bfrom\s*|\bimport\s*)(["']){re.escape(bare)}\2"""
        source = re.sub(pattern, rf"\g<1>\g<2>{relative}\g<2>", source)
    return re.sub(r"\n?//# sourceMappingURL=\S+\s*$", "\n", source)


def adapted(entry: VendoredFile, content: bytes) -> bytes:
    if not entry.target.endswith(".js"):
        return content
    return with_relative_imports(content.decode("utf-8"), entry.imports).encode("utf-8")


def pack(package: str, version: str, folder: Path) -> Path:
    """Download a package with the npm client into *folder* and return its archive."""
    command = ["npm", "pack", f"{package}@{version}", "--silent", "--pack-destination", str(folder)]
    named = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return folder / named.split()[-1]


def fetched(entries: list[VendoredFile]) -> dict[str, bytes]:
    """Return the adapted content of every entry, by target; one download a package."""
    contents: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        archives: dict[tuple[str, str], Path] = {}
        for entry in entries:
            key = (entry.package, entry.version)
            if key not in archives:
                archives[key] = pack(*key, Path(folder))
            contents[entry.target] = adapted(entry, member(archives[key], entry.source))
    return contents


def member(archive: Path, source: str) -> bytes:
    with tarfile.open(archive) as package:
        found = package.extractfile(f"package/{source}")
        if found is None:
            msg = f"{archive.name} has no file {source}"
            raise VendorError(msg)
        return found.read()


def faults(folder: Path, entries: list[VendoredFile]) -> list[str]:
    """Return what is wrong with the vendored files; an empty list when nothing is."""
    found = [fault for entry in entries if (fault := fault_of(folder, entry))]
    known = {folder / entry.target for entry in entries}
    strangers = sorted(path for path in folder.rglob("*") if path.is_file() and path not in known)
    return found + [f"{path.relative_to(folder)}: not in the manifest" for path in strangers]


def fault_of(folder: Path, entry: VendoredFile) -> str | None:
    path = folder / entry.target
    if not path.is_file():
        return f"{entry.target}: missing"
    actual = digest(path.read_bytes())
    return None if actual == entry.sha256 else f"{entry.target}: sha256 is {actual}"


def write(folder: Path, contents: Mapping[str, bytes]) -> None:
    for target, content in contents.items():
        path = folder / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def refuse_others(entries: list[VendoredFile], contents: Mapping[str, bytes]) -> None:
    """Raise when a fetched file is not the one that was pinned; nothing is written then."""
    wrong = [e.target for e in entries if digest(contents[e.target]) != e.sha256]
    if wrong:
        msg = f"fetched files differ from their hashes: {', '.join(wrong)}"
        raise VendorError(msg)


def pin(entries: list[VendoredFile], contents: Mapping[str, bytes]) -> None:
    """Write the hashes of *contents* into the manifest, keeping its layout."""
    manifest = MANIFEST.read_text(encoding="utf-8")
    for entry in entries:
        pattern = rf'(target = "{re.escape(entry.target)}"\nsha256 = ")[0-9a-f]*(")'
        manifest = re.sub(pattern, rf"\g<1>{digest(contents[entry.target])}\g<2>", manifest)
    MANIFEST.write_text(manifest, encoding="utf-8")


def main() -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description="Vendored files of the web client.")
    parser.add_argument("--check", action="store_true", help="verify offline, change nothing")
    parser.add_argument("--pin", action="store_true", help="accept what is fetched as the truth")
    options = parser.parse_args()
    folder, entries = read_manifest(MANIFEST)
    if not options.check:
        contents = fetched(entries)
        if options.pin:
            pin(entries, contents)
            folder, entries = read_manifest(MANIFEST)
        refuse_others(entries, contents)
        write(folder, contents)
    found = faults(folder, entries)
    print("\n".join(found) or f"{len(entries)} vendored files are what the manifest says.")
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except VendorError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
