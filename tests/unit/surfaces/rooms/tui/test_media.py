from pathlib import Path

import pytest

from palabre.surfaces.rooms.tui.media import (
    Medium,
    SaveRefusal,
    SaveWish,
    save_wish,
    write_medium,
)

PICTURE = Medium(3, "image/png", "QUJD")


@pytest.mark.parametrize(
    ("line", "wish"),
    [
        ("/save 3", SaveWish(3, "")),
        ("/SAVE 3  ~/mes images ", SaveWish(3, "~/mes images")),
        ("/save 3 'a b.png'", SaveWish(3, "a b.png")),
        ("/save", SaveWish(None, "")),
        ("/save tout", SaveWish(None, "")),
        ("/saved 3", None),
        ("save 3", None),
    ],
)
def test_a_number_and_perhaps_a_place_are_asked_for(line: str, wish: SaveWish | None) -> None:
    assert save_wish(line) == wish


def test_a_picture_is_written_where_it_is_wished(tmp_path: Path) -> None:
    assert write_medium(PICTURE, str(tmp_path)).name == "palabre-3.png"
    assert write_medium(PICTURE, str(tmp_path / "phare.png")).read_bytes() == b"ABC"


def test_a_kind_that_is_not_known_gets_no_ending_that_opens_by_itself(tmp_path: Path) -> None:
    hostile = Medium(1, "text/html; charset=x", "QUJD")
    assert write_medium(hostile, str(tmp_path)).name == "palabre-1.bin"


def test_nothing_is_written_over_and_broken_data_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "palabre-3.png").write_bytes(b"mine")
    broken = Medium(4, "image/png", "%%%")
    place = str(tmp_path)
    nowhere = str(tmp_path / "nowhere" / "a.png")
    for medium, path, reason in (
        (PICTURE, place, "exists"),
        (broken, place, "broken"),
        (PICTURE, nowhere, "unwritable"),
    ):
        with pytest.raises(SaveRefusal) as refused:
            write_medium(medium, path)
        assert refused.value.reason == reason
    assert (tmp_path / "palabre-3.png").read_bytes() == b"mine"
    assert [file.name for file in tmp_path.iterdir()] == ["palabre-3.png"]
