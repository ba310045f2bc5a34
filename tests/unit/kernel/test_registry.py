"""Features are found by the names of their files."""

import importlib
from itertools import count
from pathlib import Path
from types import ModuleType
from types import SimpleNamespace as Feature

import pytest

from palabre.kernel.registry import Registry, RegistryError, discover

NUMBERS = count()


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of its own; modules that are imported stay imported, so its name is new."""
    folder = tmp_path / f"shelf_{next(NUMBERS)}"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def put(shelf: Path, module: str, source: str) -> None:
    (shelf / f"{module}.py").write_text(source)
    importlib.invalidate_caches()


def feature(name: str) -> str:
    return f"from types import SimpleNamespace\nFEATURE = SimpleNamespace(name={name!r})\n"


def package(shelf: Path) -> ModuleType:
    return importlib.import_module(shelf.name)


def test_every_module_is_one_feature_in_the_order_of_names(shelf: Path) -> None:
    put(shelf, "who", feature("who"))
    put(shelf, "ask", feature("ask"))
    found = discover(package(shelf), "FEATURE", Feature)
    assert list(found) == ["ask", "who"]
    assert found["who"] == Feature(name="who")
    assert len(found) == 2


def test_modules_with_a_leading_underscore_hold_none(shelf: Path) -> None:
    put(shelf, "_shared", "")
    assert not discover(package(shelf), "FEATURE", Feature)


def test_a_trailing_underscore_lets_a_feature_be_called_like_a_keyword(shelf: Path) -> None:
    put(shelf, "import_", feature("import"))
    assert list(discover(package(shelf), "FEATURE", Feature)) == ["import"]


@pytest.mark.parametrize("source", ["", "FEATURE = 'who'\n"])
def test_a_module_without_its_constant_is_refused_by_name(shelf: Path, source: str) -> None:
    put(shelf, "who", source)
    with pytest.raises(RegistryError, match=r"who must define FEATURE of type SimpleNamespace"):
        discover(package(shelf), "FEATURE", Feature)


def test_a_feature_that_is_not_called_like_its_file_is_refused(shelf: Path) -> None:
    put(shelf, "who", feature("whom"))
    with pytest.raises(RegistryError, match=r"call the file whom\.py"):
        discover(package(shelf), "FEATURE", Feature)


def test_a_registry_sorts_what_it_is_given() -> None:
    assert list(Registry({"b": Feature(name="b"), "a": Feature(name="a")})) == ["a", "b"]
