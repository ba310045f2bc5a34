from datetime import date

from palabre.core.history.model import Count
from palabre.core.history.summary import TOP, summarise

DAY, NEXT = date(2026, 3, 20), date(2026, 3, 21)


def test_counts_are_sorted_by_who_they_are_of() -> None:
    counts = [
        Count(DAY, "message", "Batty", 3),
        Count(NEXT, "message", "Batty", 1),
        Count(DAY, "message", "lea", 5),
        Count(DAY, "image", "user_1", 1),
        Count(DAY, "system", "lea", 2),
        Count(DAY, "upload", "lea", 4),
        Count(DAY, "raw", "", 9),
    ]
    summary = summarise(counts, {"Batty", "Schaeffer"})
    assert (summary.total, summary.users, summary.systems, summary.uploads) == (16, 6, 2, 4)
    assert summary.personas == {"Batty": 4}
    assert summary.per_day == {DAY: 15, NEXT: 1}


def test_those_who_said_most_come_first_and_are_ten_at_most() -> None:
    counts = [Count(DAY, "message", f"p{number}", number) for number in range(1, 15)]
    top = summarise(counts, {each.nick for each in counts}).top
    assert (len(top), top[0], top[-1]) == (TOP, ("p14", 14), ("p5", 5))
