"""When a channel's oldest utterances are summarised, and how much is kept. Pure."""

from dataclasses import dataclass

MB = 1024 * 1024
GB = 1024 * MB


@dataclass(frozen=True, slots=True)
class CompactionRules:
    """What the owner of the rooms has decided (facts of rooms, 3.5).

    Attributes:
        enabled: Whether anything is summarised at all.
        file_bytes: Size below which a context is left alone.
        entries: Utterances below which it is.
        total_bytes: What contexts and archives may take together; the oldest archives go first.
        summary_chars: Longest summary.
        every_s: Time between two looks.
        model: Who summarises; a bare name means the default provider.
        share: Part of the utterances that is summarised, the oldest.
        rest: Time left to people's questions after each piece, in times of what it took.
    """

    enabled: bool = True
    file_bytes: int = MB
    entries: int = 200
    total_bytes: int = 750 * MB
    summary_chars: int = 10_000
    every_s: float = 60.0
    model: str = ""
    share: float = 0.8
    rest: float = 1.0


@dataclass(frozen=True, slots=True)
class MachineLimits:
    """What suits a machine."""

    entries: int
    file_bytes: int
    total_bytes: int
    summary_chars: int


_BY_MEMORY = (
    (8 * GB, MachineLimits(300, 40 * MB, 256 * MB, 10_000)),
    (16 * GB, MachineLimits(400, 75 * MB, 512 * MB, 15_000)),
    (32 * GB, MachineLimits(600, 120 * MB, 900 * MB, 24_000)),
)
_LARGEST = MachineLimits(900, 180 * MB, 1400 * MB, 32_000)
_TIGHT = ((0.08, 0.35), (0.15, 0.6))
"""Share of free memory below which limits shrink, and to what part of them."""

MIN_FILE_BYTES, MIN_TOTAL_BYTES = 16 * MB, 128 * MB


def limits_for(total_bytes: int, free_bytes: int) -> MachineLimits:
    """Return what suits a machine with so much memory, of which so much is free."""
    found = next((limits for most, limits in _BY_MEMORY if total_bytes <= most), _LARGEST)
    share = free_bytes / total_bytes if total_bytes else 1.0
    factor = next((factor for below, factor in _TIGHT if share < below), 1.0)
    return MachineLimits(
        found.entries,
        max(MIN_FILE_BYTES, int(found.file_bytes * factor)),
        max(MIN_TOTAL_BYTES, int(found.total_bytes * factor)),
        found.summary_chars,
    )
