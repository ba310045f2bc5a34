from palabre.core.personas.words import folded


def test_words_are_compared_without_case_and_accents() -> None:
    assert folded("ÉLÉGANCE") == folded("elegance")
    assert folded("Straße") == folded("STRASSE")
    assert folded("sonore") != folded("sonores")
