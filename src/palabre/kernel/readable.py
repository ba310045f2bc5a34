"""Write sizes and durations for people."""

_GB = 1024**3
_MB = 1024**2


def readable_size(size_bytes: int | None) -> str:
    """Return `4.5GB`, `274.0MB`, or `?` when unknown (seed 000 §13.2, /models)."""
    if size_bytes is None:
        return "?"
    if size_bytes >= _GB:
        return f"{size_bytes / _GB:.1f}GB"
    return f"{size_bytes / _MB:.1f}MB"


def readable_duration(duration_s: float) -> str:
    """Return `2h34m12s` (seed 000 §13.2, /status)."""
    minutes, seconds = divmod(int(duration_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes}m{seconds}s"
