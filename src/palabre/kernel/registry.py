"""Find features: one module is one feature, in one constant."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Protocol, TypeVar


class Named(Protocol):
    """Anything that a registry can hold."""

    @property
    def name(self) -> str: ...


F = TypeVar("F", bound=Named)


class RegistryError(TypeError):
    """A feature module does not have the shape of its package."""


class Registry(Mapping[str, F]):
    """The features of a kind, by name; in the order of their names."""

    def __init__(self, features: Mapping[str, F]) -> None:
        self._features = dict(sorted(features.items()))

    def __getitem__(self, name: str) -> F:
        return self._features[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._features)

    def __len__(self) -> int:
        return len(self._features)


def discover(package: ModuleType, constant: str, kind: type[F]) -> Registry[F]:
    """Import every module of *package* and collect its *constant*.

    Modules whose name starts with `_` are helpers of their siblings and hold no feature.

    Raises:
        RegistryError: A module lacks the constant, holds another kind, or is not called
            like its feature.
    """
    found: dict[str, F] = {}
    for info in pkgutil.iter_modules(package.__path__):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        feature = getattr(module, constant, None)
        if not isinstance(feature, kind):
            msg = f"{module.__name__} must define {constant} of type {kind.__name__}"
            raise RegistryError(msg)
        if feature.name != info.name.rstrip("_"):
            msg = f"{module.__name__} holds {feature.name!r}: call the file {feature.name}.py"
            raise RegistryError(msg)
        found[feature.name] = feature
    return Registry(found)
