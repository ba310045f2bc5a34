"""What steps hand to each other: files with their hash and size, never their contents."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from palabre.core.tools.model import Json

Record = Mapping[str, Json]
"""One row of a dataset."""

FileFormat = Literal["jsonl", "arrow", "json", "gguf", "safetensors", "text", "bytes"]


class Kind(StrEnum):
    """What flows along an edge. The first ones are those of V1, and its ports' names too."""

    DATASET = "dataset"
    DATASET_READY = "dataset_ready"
    """Records with `messages`, or with what else a trainer reads."""
    MODEL = "model"
    EVALUATION = "evaluation"
    REGISTERED_MODEL = "registered_model"
    DEPLOYMENT = "deployment"
    PAIRS = "pairs"
    """Records with `prompt`, `chosen`, `rejected`."""
    TOKENS = "tokens"
    """Records with `input_ids`."""
    ANY = "any"
    """Of an input alone: whatever comes."""


DATASETS = frozenset({Kind.DATASET, Kind.DATASET_READY, Kind.PAIRS, Kind.TOKENS})


def fits(given: Kind, wanted: Kind) -> bool:
    """Whether an input of kind *wanted* takes *given*: each kind of dataset is a dataset."""
    return wanted in {given, Kind.ANY} or (wanted is Kind.DATASET and given in DATASETS)


@dataclass(frozen=True, slots=True)
class ArtifactFile:
    """One file of an artifact.

    Attributes:
        name: Below the folder of its step, with `/`; such as `dataset.train.jsonl`.
        part: Which share of a dataset it is, such as `train`; empty for an undivided one.
        sha256: Of its bytes, in hex.
        records: How many rows; None for what has no rows.
    """

    name: str
    format: FileFormat
    size_bytes: int
    sha256: str
    part: str = ""
    records: int | None = None


@dataclass(frozen=True, slots=True)
class Artifact:
    """One output of one step.

    It lies in `artifacts/<run>/<step>/`: `<output>.json` describes it, *files* hold it.

    Attributes:
        payload: What a page shows of it, and small results: scores, names. At most some kB.
    """

    run_id: str
    step_id: str
    output: str
    kind: Kind
    files: tuple[ArtifactFile, ...] = ()
    payload: Mapping[str, Json] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of its shares, each once, in order."""
        return tuple(dict.fromkeys(each.part for each in self.files))

    @property
    def records(self) -> int:
        """How many rows it has in all."""
        return sum(each.records or 0 for each in self.files)

    @property
    def size_bytes(self) -> int:
        """How large its files are."""
        return sum(each.size_bytes for each in self.files)

    @property
    def digest(self) -> str:
        """Its content in one hash: the same wherever and whenever it was made."""
        files = [(each.part, each.format, each.sha256) for each in self.files]
        return digest_of([self.kind, files, self.payload])


def digest_of(value: object) -> str:
    """Return the SHA-256 of *value* (lists, mappings, texts, numbers) as sorted JSON, in hex."""
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), default=_plain)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    msg = f"{type(value).__name__} has no digest"
    raise TypeError(msg)
