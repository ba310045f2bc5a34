"""Who comes to the rooms, as far as is known of them."""

from dataclasses import dataclass

from palabre.core.auth.model import PERMISSIONS, Permission, Role


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody at the entrance, or inside.

    Attributes:
        wished: The nick that they ask for; None without a wish.
        username: Of their session; empty without one.
        role: What their session lets them do, under their username alone; None where the rooms
            are open: they may do everything, under a nick of their choice.
    """

    wished: str | None = None
    username: str = ""
    role: Role | None = None

    @property
    def is_known(self) -> bool:
        """Whether their nick is their username, and stays so."""
        return self.role is not None

    def may(self, permission: Permission) -> bool:
        """Say whether they may do that."""
        return self.role is None or permission in PERMISSIONS[self.role]

    def is_same_person(self, other: "Visitor") -> bool:
        """Say whether both have come by sessions of one username."""
        names = self.username.casefold(), other.username.casefold()
        return self.is_known and other.is_known and names[0] == names[1]
