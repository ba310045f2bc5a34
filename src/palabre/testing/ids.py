"""Identifiers that a test can foresee."""


class CountingIds:
    """Numbers new identifiers from 1, over all prefixes."""

    def __init__(self) -> None:
        self._given = 0

    def new(self, prefix: str) -> str:
        """Return `<prefix>_0_00000001`, then `..._00000002`, and so on."""
        self._given += 1
        return f"{prefix}_0_{self._given:08x}"
