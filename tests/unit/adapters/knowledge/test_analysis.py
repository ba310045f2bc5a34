import threading

import pytest

from palabre.adapters.knowledge.analysis import StemmingAnalyser


def terms(text: str) -> list[str]:
    return StemmingAnalyser().terms(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("L'alimentation fantôme du micro", "ALIMENTATIONS FANTOME DES MICROS"),
        ("qu’une ruche d’hiver", "la ruche de l'hiver"),
        ("les œuvres du cœur", "l'oeuvre et le coeur"),
        ("laver les mousses", "la mousse lavait"),
        ("Été", "e\u0301te\u0301"),
    ],
)
def test_french_words_have_the_same_terms_however_they_are_bent(one: str, other: str) -> None:
    assert set(terms(one)) == set(terms(other))


def test_words_that_say_nothing_are_left_out() -> None:
    assert terms("Qu'est-ce que c'est ? Il y a ce que je te dis.") == ["dis"]
    assert terms("what is it that you have") == []


def test_english_is_stemmed_as_english() -> None:
    assert terms("the washing machines were running") == ["wash", "machin", "run"]


def test_a_text_that_shows_no_language_is_stemmed_in_both() -> None:
    assert terms("mixer gain") == ["mix", "mixer", "gain"]


def test_figures_and_other_scripts_are_terms() -> None:
    assert terms("48 V, n° 7, 日本語, a") == ["48", "7", "日本語"]


def test_terms_hold_letters_and_digits_alone() -> None:
    for text in ('a" OR b*', "NEAR(x y)", "d'accord_l'eau", "😀 e\u0301\u0301 x\u200dy"):
        assert all(term.isalnum() for term in terms(text))


def test_a_word_without_end_is_cut() -> None:
    assert max(map(len, terms("z" * 100_000))) <= 64


def test_several_threads_may_use_one_analyser() -> None:
    analyser, found = StemmingAnalyser(), []
    text = "les abeilles dormaient dans la ruche " * 200
    expected = analyser.terms(text)
    threads = [
        threading.Thread(target=lambda: found.append(analyser.terms(text))) for _ in range(4)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [expected] * 4
