"""The book as programs are told it, over HTTP and in an export. Pure."""

import json
from collections.abc import Mapping

from palabre.core.audit.chain import as_text
from palabre.core.audit.inspection import Inspection
from palabre.core.audit.model import Entry, Json
from palabre.kernel.clock import iso_utc


def described(entry: Entry) -> Mapping[str, Json]:
    """Return the fields of *entry*; `before` and `after` as `state_of` has them."""
    return {
        "number": entry.number,
        "at": iso_utc(entry.at),
        "actor": entry.actor.name,
        "role": entry.actor.role,
        "address": entry.actor.address,
        "action": entry.action,
        "target": entry.target,
        "before": state_of(entry.before),
        "after": state_of(entry.after),
        "hash": entry.hash,
        "previousHash": entry.previous_hash,
    }


def state_of(written: str) -> Json:
    """Return what the text *written* says; itself where `as_text` would not give it back.

    So the text that was hashed is always known: that of an object, or the string itself.
    """
    try:
        read: Json = json.loads(written, parse_constant=_refuse)
        is_ours = isinstance(read, dict) and as_text(read) == written
    except (ValueError, RecursionError):
        return written
    return read if is_ours else written


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN and its like are no JSON


def inspected(found: Inspection) -> Mapping[str, Json]:
    """Return what was *found* in the book, as programs are told it."""
    return {
        "whole": found.is_whole,
        "entries": found.verdict.entries,
        "lastHash": found.verdict.last_hash,
        "brokenAt": found.verdict.broken_at,
        "hasExpectedHash": found.has_expected,
    }
