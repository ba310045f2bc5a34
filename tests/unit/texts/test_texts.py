"""Texts are data until somebody reads them."""

import pytest

from palabre.kernel.text import text, verbatim
from palabre.texts import LANGUAGES, Language, catalogue, placeholders, say


def test_a_text_is_said_in_the_language_asked_for() -> None:
    unknown = text("command.unknown", command="/dance")
    assert say(unknown, "fr") == "Commande inconnue: /dance. Tape /help."
    assert say(unknown, "en") == "Unknown command: /dance. Type /help."


def test_french_is_the_language_of_those_who_ask_for_none() -> None:
    assert say(text("settings.kind.int")) == say(text("settings.kind.int"), "fr")


def test_a_text_inside_a_text_is_said_in_the_same_language() -> None:
    inner = text("settings.kind.bool")
    told = say(text("settings.reason.type", value="3", kind=inner), "en")
    assert told == "3 is not true or false."


def test_a_tuple_of_texts_becomes_a_line_each() -> None:
    problems = (verbatim("one"), verbatim("two"))
    told = say(text("error.settings_invalid", count=2, problems=problems), "en")
    assert told.splitlines()[1:] == ["one", "two"]


@pytest.mark.parametrize(
    ("language", "count", "told"),
    [
        ("fr", 0, "0 document réindexé."),
        ("fr", 1, "1 document réindexé."),
        ("fr", 2, "2 documents réindexés."),
        ("en", 0, "0 documents indexed anew."),
        ("en", 1, "1 document indexed anew."),
        ("en", 2, "2 documents indexed anew."),
    ],
)
def test_words_agree_with_their_number(language: Language, count: int, told: str) -> None:
    assert say(text("cli.knowledge.reindexed", count=count), language) == told


def test_the_receipt_of_a_small_document_says_one_of_each() -> None:
    data = {"title": "Bruit", "id": "d1", "chunks": 1, "embedded": 1, "duration_s": 0.5}
    pages = text("cli.knowledge.pages", count=1)
    receipt = text("cli.knowledge.indexed", **data, pages=pages, probe=verbatim("p"))
    assert "1 page, 1 passage, 1 vecteur, p ; 0.5 s." in say(receipt, "fr")
    assert "1 page, 1 passage, 1 vector, p; 0.5 s." in say(receipt, "en")


def test_words_of_users_are_never_read_as_placeholders() -> None:
    assert say(verbatim("{nick} and {}"), "fr") == "{nick} and {}"


@pytest.mark.parametrize("wrong", [text("no.such.text"), text("command.unknown")])
def test_an_unknown_code_or_a_missing_value_is_an_error(wrong: object) -> None:
    with pytest.raises(KeyError):
        say(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_a_language_can_be_said_with_its_values(language: Language) -> None:
    for code, template in catalogue(language).items():
        values = {name: 3 for name in placeholders(template)}
        told = say(text(code, **values), language)
        assert all(f"{{{name}" not in told for name in values)


def test_placeholders_are_found_without_their_formats() -> None:
    assert placeholders("{count:>3} of {total}, {{kept}}") == {"count", "total"}
