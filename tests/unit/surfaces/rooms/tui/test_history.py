from palabre.surfaces.rooms.tui.history import MAX_REMEMBERED, History


def test_going_back_and_forth_ends_at_what_was_not_sent() -> None:
    history = History()
    history.add("one")
    history.add("two")
    assert history.older("unsent") == "two"
    assert history.older("two") == "one"
    assert history.older("one") is None
    assert history.newer() == "two"
    assert history.newer() == "unsent"
    assert history.newer() is None


def test_a_repetition_is_remembered_once() -> None:
    history = History()
    for text in ("same", "same", "other"):
        history.add(text)
    assert [history.older(""), history.older(""), history.older("")] == ["other", "same", None]


def test_a_hundred_inputs_are_remembered() -> None:
    history = History()
    for number in range(MAX_REMEMBERED + 20):
        history.add(str(number))
    recalled = [history.older("") for _ in range(MAX_REMEMBERED)]
    assert recalled[-1] == "20"
    assert history.older("") is None
