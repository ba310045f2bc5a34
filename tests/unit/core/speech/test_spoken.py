import pytest

from palabre.core.speech.spoken import spoken


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("*sourit* Bonjour à toi", "Bonjour à toi"),
        ("*Il s'assied.* Bonjour", "Bonjour"),
        ("Au revoir. *s'incline*", "Au revoir."),
        ("*soupire* je ne sais pas", "je ne sais pas"),
        ("J'ai relu *Solaris* hier", "J'ai relu Solaris hier"),
        ("*Solaris* est un film", "Solaris est un film"),
        ("**Écoute** bien", "Écoute bien"),
        ("# Titre", "Titre"),
        ("- un\n- deux", "un deux"),
        ("> cité", "cité"),
        ("Voir [la page](https://exemple.org/a_b) et `ls`", "Voir la page et ls"),
        ("Lien : https://exemple.org/a.b?c", "Lien :"),
        ("Bravo 🎉👏🏽 !", "Bravo !"),
        ("Il fait 20 °C & 5 €", "Il fait 20 °C & 5 €"),
        ("```\nx = 1\n```", ""),
        ("***", ""),
        ("…", ""),
        ("🙂", ""),
        ("a\u200bb\x00c", "a b c"),
    ],
)
def test_only_words_are_said_aloud(written: str, said: str) -> None:
    assert spoken(written) == said
