"""Roles, what they may do, and the sessions of those who have them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

SESSION_LIFE = timedelta(hours=1)
"""From the login on (facts of seed 000, 3.1)."""


class Role(StrEnum):
    """Whom the house takes somebody for."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    EDITOR = "editor"
    ADMIN = "admin"


class Permission(StrEnum):
    """One kind of thing that can be done."""

    SESSION_MANAGE = "session:manage"
    CHAT_READ = "chat:read"
    CHAT_WRITE = "chat:write"
    PERSONA_READ = "persona:read"
    PERSONA_WRITE = "persona:write"
    ENGINE_READ = "node_engine:read"
    ENGINE_OPERATE = "node_engine:operate"
    OPS_READ = "ops:read"


_EVERYBODY = frozenset(
    {
        Permission.CHAT_READ,
        Permission.PERSONA_READ,
        Permission.ENGINE_READ,
        Permission.OPS_READ,
    }
)

PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.VIEWER: _EVERYBODY,
    Role.OPERATOR: _EVERYBODY | {Permission.CHAT_WRITE, Permission.ENGINE_OPERATE},
    Role.EDITOR: _EVERYBODY | {Permission.CHAT_WRITE, Permission.PERSONA_WRITE},
    Role.ADMIN: frozenset(Permission),
}
"""The matrix of facts 3.1 of seed 000."""


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who has logged in.

    Attributes:
        fingerprint: SHA-256 of the session's id, in hex; the id itself is kept nowhere.
        username: `[A-Za-z0-9_]{1,40}`.
        expires_at: From then on it is no session.
    """

    fingerprint: str
    username: str
    role: Role
    created_at: datetime
    expires_at: datetime

    def may(self, permission: Permission) -> bool:
        """Say whether its holder may do that."""
        return permission in PERMISSIONS[self.role]


@dataclass(frozen=True, slots=True)
class Account:
    """A name that its holder proves by a password.

    Attributes:
        username: As it was given; unique whatever its case.
        password_hash: Argon2id, in the usual text form.
    """

    username: str
    role: Role
    password_hash: str
    created_at: datetime
