import pytest

from palabre.core.memory.wording import content, is_grounded, is_same_fact, key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Il aime la pluie", "il aime  LA PLUIE."),
        ("L'été à Brest", "l’ete a brest"),
        ("L'utilisateur s'intéresse à la musique concrète", "Il aime la musique concrète"),
        ("Intérêt pour la musique concrète", "Passionné de musique concrète"),
        ("Léa a deux chats noirs", "Léa a deux chats noirs chez elle"),
    ],
)
def test_the_same_in_other_words_is_one_fact(one: str, other: str) -> None:
    assert is_same_fact(one, other)
    assert is_same_fact(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Léa aime le jazz", "Léa n'aime pas le jazz"),
        ("Léa aime le jazz", "Léa déteste le jazz"),
        ("Léa habite à Lyon", "Marc habite à Lyon"),
        ("Elle a 3 chats noirs et blancs", "Elle a 4 chats noirs et blancs"),
        ("Il aime", "Elle adore"),
        ("", "Il aime la pluie"),
    ],
)
def test_what_says_otherwise_is_another_fact(one: str, other: str) -> None:
    assert not is_same_fact(one, other)


def test_a_key_knows_no_case_accent_or_space() -> None:
    assert key("  L'Été, à Brest ! ") == key("l’ete a BREST") == "leteabrest"


SAID = content("Je monte un projet Arduino de bruit, j'ai deux chats")
LEA = content("Lea")


@pytest.mark.parametrize(
    ("fact", "is_so"),
    [
        ("Il travaille sur un projet Arduino", True),
        ("L'utilisateur aime les chats", True),
        ("Le mot de passe est rouge", False),
        ("Lea est là", False),
        ("Lea a 7 chats", False),
        ("", False),
        ("Son projet secret : braquer une banque suisse avant la fin du mois", False),
    ],
)
def test_a_fact_is_made_of_what_people_said(fact: str, is_so: bool) -> None:
    assert is_grounded(fact, SAID, LEA) is is_so
