"""Colours of nicks: taken from the network, checked, and made readable on the background."""

import re
from functools import lru_cache

_HEX = re.compile(r"#[0-9a-fA-F]{6}")
MIN_CONTRAST = 4.5
"""Contrast of text against its background (WCAG 2 AA)."""

_NO_HUE = 12

Rgb = tuple[int, int, int]


def is_color(value: str) -> bool:
    """Return whether *value* is a colour of the form `#rrggbb`."""
    return _HEX.fullmatch(value) is not None


def is_grey(color: str) -> bool:
    """Return whether *color* has no hue worth keeping; people have `#e0e0e0` (seed 000 §5.6)."""
    rgb = _rgb(color)
    return max(rgb) - min(rgb) < _NO_HUE


@lru_cache(maxsize=1024)
def readable(color: str, background: str) -> str:
    """Return *color* (`#rrggbb`), brightened or darkened until it reads well on *background*."""
    target = (255, 255, 255) if _luminance(_rgb(background)) < 0.18 else (0, 0, 0)  # noqa: PLR2004 - middle grey
    mixed = _rgb(color)
    for percent in range(0, 101, 5):
        mixed = _mix(_rgb(color), target, percent)
        if contrast(_hex(mixed), background) >= MIN_CONTRAST:
            break
    return _hex(mixed)


def contrast(one: str, other: str) -> float:
    """Return the WCAG contrast ratio of two `#rrggbb` colours, from 1 to 21."""
    low, high = sorted((_luminance(_rgb(one)), _luminance(_rgb(other))))
    return (high + 0.05) / (low + 0.05)


def _rgb(color: str) -> Rgb:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _hex(rgb: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*rgb)


def _mix(one: Rgb, other: Rgb, percent: int) -> Rgb:
    red, green, blue = (a + (b - a) * percent // 100 for a, b in zip(one, other, strict=True))
    return red, green, blue


def _luminance(rgb: Rgb) -> float:
    red, green, blue = (_linear(part / 255) for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - sRGB
