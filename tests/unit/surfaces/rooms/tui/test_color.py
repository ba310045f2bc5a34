import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.surfaces.rooms.tui.color import MIN_CONTRAST, contrast, is_color, readable
from palabre.surfaces.rooms.tui.theme import DARK, LIGHT, Palette

COLORS = st.integers(0, 0xFFFFFF).map(lambda value: f"#{value:06x}")


@pytest.mark.parametrize(
    "value", ["red", "#fff", "#12345g", "#1234567", "#123456\n", "", "rgb(1,2,3)"]
)
def test_only_rrggbb_is_a_color(value: str) -> None:
    assert not is_color(value)
    assert is_color("#4fc3f7")


@given(COLORS)
@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=lambda p: p.name)
def test_any_persona_color_becomes_readable(palette: Palette, color: str) -> None:
    assert contrast(readable(color, palette.background), palette.background) >= MIN_CONTRAST


def test_a_color_that_reads_well_stays_as_it_is() -> None:
    assert readable("#4fc3f7", DARK.background) == "#4fc3f7"


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=lambda p: p.name)
@pytest.mark.parametrize("name", ["text", "muted", "system", "accent", "good", "bad"])
def test_every_text_color_of_a_theme_reads_well(palette: Palette, name: str) -> None:
    for ground in (palette.background, palette.surface, palette.panel):
        assert contrast(getattr(palette, name), ground) >= MIN_CONTRAST
