"""One card as JSON: what it says, and every other member as it was spelt."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from palabre.wire.cards.book import shaped
from palabre.wire.cards.errors import MAX_JSON_BYTES, MIB, CardError
from palabre.wire.cards.fields import V1_NAMES, CardFields, read_fields
from palabre.wire.cards.members import (
    Member,
    Members,
    member,
    raw_member,
    read_object,
    write_object,
)

V2, V3 = "chara_card_v2", "chara_card_v3"
_VERSIONS = {V2: 2, V3: 3}
_NEWEST = 3.0
OWN = "palabre"
"""The name of our data in `extensions`."""

_WORDS = (
    *V1_NAMES,
    *("creator_notes", "system_prompt", "post_history_instructions"),
    *("creator", "character_version"),
)
_DEFAULTS: Mapping[str, object] = {
    **dict.fromkeys(_WORDS, ""),
    **dict.fromkeys(("alternate_greetings", "tags", "group_only_greetings"), ()),
    "extensions": {},
}


@dataclass(frozen=True, slots=True)
class CardDocument:
    """A card.

    Attributes:
        version: 1, 2 or 3: the specification that it says it follows.
        is_newer: Whether it says that it follows a later one than we know.
        root: All of its outer members; for V1 without those that the card consists of.
        data: The members below `data`; those that V1 has outside.
    """

    version: int = 3
    is_newer: bool = False
    root: Members = field(default_factory=dict)
    data: Members = field(default_factory=dict)

    @property
    def fields(self) -> CardFields:
        """What the card says."""
        return read_fields(self.data)

    @property
    def own(self) -> Members:
        """Our data in the card's extensions; empty if there are none."""
        extensions = _inner(self.data, "extensions")
        return _inner(extensions, OWN)

    def changed(self, words: Mapping[str, object], own: Mapping[str, object]) -> "CardDocument":
        """Return the card with *words* in place of some fields, and *own* as data of ours.

        A copy of a field outside `data`, as some programs write it, changes too.
        """
        new = {key: member(key, value) for key, value in words.items()}
        outside = {key: new[key] for key in new if key in self.root}
        data = {**self.data, **new}
        if own:
            data["extensions"] = _with_own(data, own)
        return replace(self, root={**self.root, **outside}, data=data)


def read_document(content: bytes) -> CardDocument:
    """Return the card that the JSON *content* describes.

    Raises:
        CardError: It is too large, not JSON, or no card.
    """
    if len(content) > MAX_JSON_BYTES:
        raise CardError("json_too_large", most=MAX_JSON_BYTES // MIB)
    try:
        root = read_object(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise CardError("not_json") from error
    return _to_document(root)


def write_v3(card: CardDocument) -> bytes:
    """Write *card* as V3: what the specification demands is there, what is unknown is kept."""
    return write_as(card, V3, "3.0", complete(card.data))


def write_as(card: CardDocument, spec: str, version: str, data: Members) -> bytes:
    """Write *card* with *data* as what it says, as of the *version* of *spec*."""
    if card.is_newer and spec == V3:
        version = str(card.root["spec_version"].value)
    own = {"spec": spec, "spec_version": version}
    root = {**card.root, **{key: member(key, value) for key, value in own.items()}}
    root["data"] = raw_member("data", write_object(data))
    return write_object(root).encode()


def _to_document(root: dict[str, Member]) -> CardDocument:
    told = root["spec"].value if "spec" in root else None
    version = _VERSIONS.get(told) if isinstance(told, str) else None
    if "data" in root and isinstance(root["data"].value, dict):
        data = read_object(root["data"].raw)
        if version is None and not any(name in data for name in V1_NAMES):
            raise CardError("not_a_card")
        return CardDocument(version or _VERSIONS[V2], _is_newer(root), root, data)
    if "name" not in root or not any(name in root for name in V1_NAMES[1:]):
        raise CardError("not_a_card")
    data = {key: each for key, each in root.items() if key in _DEFAULTS}
    return CardDocument(1, root={k: v for k, v in root.items() if k not in data}, data=data)


def _is_newer(root: Members) -> bool:
    version = root["spec_version"].value if "spec_version" in root else None
    try:
        return isinstance(version, str) and _NEWEST < float(version) < float("inf")
    except ValueError:
        return False


def complete(data: Members) -> dict[str, Member]:
    """Return *data* with all that V3 demands.

    A null in its place, or as a `character_book`, is dropped: other programs refuse it.
    """
    needed = {**_DEFAULTS, "character_book": None}
    kept = {key: each for key, each in data.items() if key not in needed or each.raw != "null"}
    if "character_book" in kept:
        kept["character_book"] = shaped(kept["character_book"])
    missing = {key: default for key, default in _DEFAULTS.items() if key not in kept}
    return {**kept, **{key: member(key, default) for key, default in missing.items()}}


def _with_own(data: Members, own: Mapping[str, object]) -> Member:
    extensions = _inner(data, "extensions")
    ours = {**_inner(extensions, OWN), **{key: member(key, own[key]) for key in own}}
    inner = {**extensions, OWN: raw_member(OWN, write_object(ours))}
    return raw_member("extensions", write_object(inner))


def _inner(members: Members, key: str) -> dict[str, Member]:
    found = members.get(key)
    if found is None or not found.raw.startswith("{"):
        return {}
    return read_object(found.raw)
