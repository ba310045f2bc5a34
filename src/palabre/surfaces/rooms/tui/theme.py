"""The two looks of the client: a dark terminal and a sheet of paper."""

from dataclasses import dataclass
from typing import Literal

from textual.theme import Theme

ThemeName = Literal["dark", "light"]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours as `#rrggbb`. All that is text reads well on `background` and `surface`."""

    name: ThemeName
    background: str
    surface: str
    panel: str
    rule: str
    text: str
    muted: str
    system: str
    accent: str
    good: str
    bad: str
    selection: str

    @property
    def theme(self) -> Theme:
        """The same for Textual."""
        return Theme(
            name=theme_id(self.name),
            primary=self.accent,
            secondary=self.system,
            accent=self.accent,
            success=self.good,
            warning=self.accent,
            error=self.bad,
            foreground=self.text,
            background=self.background,
            surface=self.surface,
            panel=self.panel,
            dark=self.name == "dark",
            variables={
                "rule": self.rule,
                "muted": self.muted,
                "scrollbar": self.rule,
                "scrollbar-hover": self.muted,
                "scrollbar-active": self.accent,
                "scrollbar-background": self.background,
                "scrollbar-background-hover": self.background,
                "scrollbar-background-active": self.background,
                "input-cursor-background": self.accent,
                "input-cursor-foreground": self.background,
                "input-selection-background": self.selection,
            },
        )


DARK = Palette(
    name="dark",
    background="#0e1311",
    surface="#131a17",
    panel="#1b2521",
    rule="#2c3a34",
    text="#d6ded8",
    muted="#84948b",
    system="#8fb8a0",
    accent="#f0b840",
    good="#7bd88f",
    bad="#ff8378",
    selection="#3d4f2a",
)
LIGHT = Palette(
    name="light",
    background="#f7f5ee",
    surface="#efece2",
    panel="#e4e0d2",
    rule="#cdc7b5",
    text="#20261f",
    muted="#5c655b",
    system="#2f6246",
    accent="#8a5200",
    good="#1d6b34",
    bad="#a8261c",
    selection="#d9e2b4",
)
PALETTES: dict[ThemeName, Palette] = {"dark": DARK, "light": LIGHT}


def theme_id(name: ThemeName) -> str:
    """Return the name under which Textual knows a look."""
    return f"palabre-{name}"
