"""What somebody said is kept, what nobody said is not."""

import pytest

from palabre.core.speech.gate import Phrase, believed


def test_phrases_are_joined_in_order() -> None:
    assert (
        believed([Phrase("  Bonjour,\n"), Phrase(" Marie. ", -0.3, 0.1, 1.2)]) == "Bonjour, Marie."
    )


@pytest.mark.parametrize(
    "invented",
    [
        Phrase("Merci.", -0.8, 0.9, 1.0),
        Phrase("Merci.", None, 0.9, None),
        Phrase("Merci.", -1.4, 0.1, 1.0),
        Phrase("la la la la la la", -0.2, 0.1, 4.0),
        Phrase(" ... ", -0.1, 0.1, 1.0),
        Phrase("♪♪", -0.1, 0.1, 1.0),
        Phrase("Sous-titrage ST' 501", -0.1, 0.1, 1.0),
        Phrase("Sous-titrage Société Radio-Canada"),
        Phrase("Sous-titres réalisés para la communauté d'Amara.org"),
        Phrase("Merci d'avoir regardé cette vidéo !"),
        Phrase("Thank you for watching"),
        Phrase("Thanks for watching!"),
        Phrase("Subtitles by the Amara.org community"),
    ],
)
def test_what_nobody_said_is_left_out(invented: Phrase) -> None:
    said = Phrase("Oui, le chat de Marie est là, et il dort.", -0.2, 0.0, 1.0)
    more = Phrase("Tu peux venir le voir demain, si tu veux, ou même après-demain.", -0.2, 0.0, 1.0)
    assert believed([invented]) == ""
    assert believed([invented, said, more]) == f"{said.text} {more.text}"


def test_credits_are_known_in_pieces_too() -> None:
    assert believed([Phrase("Sous-titres par la communauté d'Amara."), Phrase("org")]) == ""


@pytest.mark.parametrize(
    "said",
    [
        Phrase("Oui.", -0.4, 0.9, 1.0),
        Phrase("Les sous-titres sont trop petits."),
        Phrase("Merci d'être venus."),
        Phrase("10", None, None, None),
    ],
)
def test_what_somebody_said_is_kept(said: Phrase) -> None:
    assert believed([said]) == said.text
