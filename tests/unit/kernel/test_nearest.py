from palabre.kernel.nearest import nearest

KNOWN = {"color": 1, "model": 2, "prompt": 3}


def test_a_slip_of_the_pen_is_guessed() -> None:
    assert nearest("colour", KNOWN) == "color"
    assert nearest("promt", KNOWN) == "prompt"


def test_what_is_like_nothing_is_not_guessed() -> None:
    assert nearest("x", KNOWN) is None
    assert nearest("color", []) is None


def test_less_may_be_guessed_when_more_likeness_is_asked() -> None:
    assert nearest("colo_r_", KNOWN, likeness=0.95) is None
    assert nearest("colo_r_", KNOWN) == "color"
