"""The tables of the database, as the newest migration leaves them; one module a subject."""

from palabre.adapters.storage.sql.schema import (
    accounts,
    api_keys,
    audit,
    editorial,
    history,
    knowledge,
    rooms,
)
from palabre.adapters.storage.sql.schema.metadata import METADATA

__all__ = [
    "METADATA",
    "accounts",
    "api_keys",
    "audit",
    "editorial",
    "history",
    "knowledge",
    "rooms",
]
