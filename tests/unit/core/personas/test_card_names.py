import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.core.personas.card_names import (
    clean,
    fit_id,
    fit_nick,
    free_id,
    free_nick,
    is_id,
    one_line,
)
from palabre.core.personas.nicks import chosen_nick
from palabre.kernel.ids import Nick, PersonaId
from palabre.kernel.lookalikes import nick_keys


@pytest.mark.parametrize(
    ("name", "nick", "persona_id"),
    [
        ("Alice", "Alice", "alice"),
        ("Captain Ahab", "Captain_Ahab", "captain_ahab"),
        ("Élodie d'Été", "Élodie_d_Été", "elodie_d_ete"),
        ("E\u0301lodie", "Élodie", "elodie"),
        ("ハルヒ", "Persona", "persona"),
        ("Ａｌｉｃｅ", "Alice", "alice"),
        ("", "Persona", "persona"),
        ("x", "Persona", "persona"),
        ("../../etc/passwd", "etc_passwd", "etc_passwd"),
        ("a\x00b\nc\u202ed", "ab_c_d", "ab_c_d"),
        ("@@<script>", "script", "script"),
        ("The Queen of Hearts and all her court", "The_Queen_of_Hearts_and", "the_queen_of_hearts_and"),
    ],
)  # fmt: skip
def test_hostile_and_long_names_are_made_fit(name: str, nick: str, persona_id: str) -> None:
    assert (fit_nick(name), fit_id(fit_nick(name))) == (nick, persona_id)


@given(st.text(max_size=200))
def test_any_name_gives_a_nick_and_an_id_that_files_may_have(name: str) -> None:
    nick = fit_nick(name)
    assert chosen_nick(nick) == nick
    assert is_id(fit_id(nick))


@given(st.lists(st.text(max_size=30), max_size=6))
def test_no_two_free_nicks_look_alike(names: list[str]) -> None:
    taken: list[str] = []
    for name in names:
        nick = free_nick(fit_nick(name), taken)
        assert not any(nick_keys(nick) & nick_keys(each) for each in taken)
        assert chosen_nick(nick) == nick
        taken.append(nick)


def test_a_name_that_is_taken_is_counted_on() -> None:
    assert free_nick(Nick("Alice"), ["ALICE", "Alice-2"]) == "Alice-3"
    assert free_nick(Nick("Isa"), ["lsa"]) == "Isa-2"
    assert free_nick(Nick("A" * 24), ["A" * 24]) == "A" * 22 + "-2"
    assert free_id(PersonaId("alice"), {"alice", "alice-2"}) == "alice-3"
    assert free_id(PersonaId("a" * 64), {"a" * 64}) == "a" * 62 + "-2"


def test_ids_are_lower_case_words() -> None:
    assert [is_id(each) for each in ("alice-2", "2", "", "-a", "A", "a.b", "a" * 65)] == [
        *(True, True, False, False, False, False, False)
    ]


def test_words_lose_their_control_characters() -> None:
    assert clean(" a\r\nb\rc\x07\td \n") == "a\nb\nc\td"
    assert one_line("a\n b\u2028c\x00") == "a b c"
