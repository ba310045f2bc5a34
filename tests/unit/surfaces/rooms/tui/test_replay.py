import pytest

from palabre.surfaces.rooms.tui.replay import unseen


@pytest.mark.parametrize(
    ("shown", "replayed", "new"),
    [
        ("", "abc", 0),
        ("abc", "abc", 3),
        ("xabc", "bcd", 2),
        ("abc", "xyz", 0),
        ("aba", "abab", 3),
        ("abcdef", "ef", 2),
        ("abc", "", 0),
    ],
)
def test_the_overlap_of_shown_and_replayed_is_found(shown: str, replayed: str, new: int) -> None:
    def messages(letters: str) -> list[tuple[str, str]]:
        return [("marc", letter) for letter in letters]

    assert unseen(messages(shown), messages(replayed)) == new
