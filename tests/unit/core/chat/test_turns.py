"""Who answers: those named, else those of the topic, else the dispatcher, else the first."""

import pytest

from palabre.core.chat.turns import MAX_TOPIC_WORD, MAX_TOPIC_WORDS, choose_responders
from palabre.core.personas.model import Cast, TopicRule
from palabre.kernel.ids import Nick
from palabre.testing.personas import a_persona

BATTY, RADIGUE, PHARMACIUS, TURING = map(a_persona, ["Batty", "Radigue", "Pharmacius", "Turing"])
EVERYBODY = (BATTY, RADIGUE, PHARMACIUS, TURING)
SOUND = TopicRule("sound", words=frozenset({"musique", "ecoute"}), nicks=("Radigue", "Batty"))
ABSENT = TopicRule("logic", words=frozenset({"logique"}), nicks=("Nobody",))
CAST = Cast(EVERYBODY, (ABSENT, SOUND), Nick("pharmacius"))


@pytest.mark.parametrize(
    ("text", "nicks"),
    [
        ("@Turing et @Batty", ["Turing", "Batty"]),
        ("la musique", ["Radigue", "Batty"]),
        ("ÉCOUTE !", ["Radigue", "Batty"]),
        ("ecoute", ["Radigue", "Batty"]),
        ("musiques", ["Pharmacius"]),
        ("amusique", ["Pharmacius"]),
        ("logique", ["Pharmacius"]),
        ("logique de la musique", ["Radigue", "Batty"]),
        ("@Turing, la musique", ["Turing"]),
        ("@Personne", ["Pharmacius"]),
        ("", ["Pharmacius"]),
    ],
)
def test_who_answers(text: str, nicks: list[str]) -> None:
    assert [each.nick for each in choose_responders(text, CAST, 2)] == nicks


def test_only_so_many_words_of_a_message_are_looked_at_for_its_topic() -> None:
    assert choose_responders("a " * (MAX_TOPIC_WORDS - 1) + "musique", CAST, 1) == [RADIGUE]
    assert choose_responders("a " * MAX_TOPIC_WORDS + "musique", CAST, 1) == [PHARMACIUS]


def test_a_word_too_long_for_any_topic_is_passed_over() -> None:
    long = "m" * (MAX_TOPIC_WORD + 1)
    cast = Cast(EVERYBODY, (TopicRule("long", frozenset({long}), ("Radigue",)), SOUND))
    assert choose_responders(long, cast, 1) == [BATTY]
    assert choose_responders(f"{long} musique", cast, 1) == [RADIGUE]


def test_no_more_answer_than_allowed_but_always_one() -> None:
    assert choose_responders("@Batty @Turing @Radigue", CAST, 2) == [BATTY, TURING]
    assert choose_responders("@Batty @Turing", CAST, 0) == [BATTY]


def test_without_a_dispatcher_the_first_answers_and_without_anybody_nobody() -> None:
    assert choose_responders("a", Cast((BATTY, TURING)), 2) == [BATTY]
    assert choose_responders("a", Cast((BATTY, TURING), (), Nick("Parti")), 2) == [BATTY]
    assert choose_responders("a", Cast((), ()), 2) == []
