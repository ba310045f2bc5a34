from tests.support.tui_session import COLOR, feed, greeted, last, said

from palabre.surfaces.rooms.tui.session import MAX_DRAFTS
from palabre.wire.rooms import Chunk, Message, System


def test_chunks_of_two_replies_grow_side_by_side_until_their_messages() -> None:
    session = greeted()
    feed(
        session,
        System("Schaeffer est en train d'ecrire...", 1, "a"),
        System("Batty est en train d'ecrire...", 2, "b"),
    )
    assert session.writers == ("Schaeffer", "Batty")
    feed(
        session,
        Chunk("Schaeffer", "Xena", COLOR, 1, "a"),
        Chunk("Batty", "J'ai ", COLOR, 1, "b"),
        Chunk("Schaeffer", "kis", COLOR, 2, "a"),
        Chunk("Batty", "vu", COLOR, 2, "b"),
    )
    assert [(d.nick, d.text) for d in session.drafts.values()] == [
        ("Schaeffer", "Xenakis"),
        ("Batty", "J'ai vu"),
    ]
    feed(session, Message("Batty", "J'ai vu.", COLOR, 3, "b"))
    assert [d.nick for d in session.drafts.values()] == ["Schaeffer"]
    feed(session, Message("Schaeffer", "Xenakis.", COLOR, 4, "a"))
    assert not session.drafts
    assert not session.writers
    assert said(session) == [("Batty", "J'ai vu."), ("Schaeffer", "Xenakis.")]


def test_a_server_without_reply_ids_streams_by_nick() -> None:
    session = greeted()
    feed(
        session,
        System("Schaeffer est en train d'ecrire..."),
        Chunk("Schaeffer", "Xena", COLOR, 1),
        Chunk("Batty", "vu", COLOR, 1),
        Chunk("Schaeffer", "kis", COLOR, 2),
    )
    assert [d.text for d in session.drafts.values()] == ["Xenakis", "vu"]
    feed(session, Message("Schaeffer", "Xenakis.", COLOR, 9))
    assert session.writers == ("Batty",)


def test_a_typing_line_without_id_ends_with_a_message_that_has_one() -> None:
    session = greeted()
    feed(session, System("Batty est en train d'ecrire..."), Message("Batty", "oui", COLOR, 2, "b"))
    assert session.writers == ()


def test_a_failed_reply_leaves_its_error_and_no_draft() -> None:
    for error in (
        System("Batty: erreur Ollama — Ollama returned 500"),
        System("Batty reste silencieux.", 5, "b"),
        System("Silence.", 5, "b"),
    ):
        session = greeted()
        feed(
            session,
            System("Batty est en train d'ecrire...", 1, "b"),
            Chunk("Batty", "J'ai", COLOR, 1, "b"),
            error,
        )
        assert session.writers == (), error
        assert last(session).text == error.text


def test_a_line_about_a_reply_that_comes_before_its_first_word_does_not_end_it() -> None:
    loading = System("Le modèle se télécharge (45 %), Batty répondra ensuite.", 2, "b")
    session = greeted()
    feed(session, System("Batty est en train d'ecrire...", 1, "b"), loading)
    assert session.writers == ("Batty",)
    assert last(session).text == loading.text
    feed(session, Chunk("Batty", "J'ai", COLOR, 1, "b"))
    assert [draft.text for draft in session.drafts.values()] == ["J'ai"]


def test_a_persona_that_stays_silent_before_its_first_word_is_not_waited_for() -> None:
    session = greeted()
    feed(session, System("Batty est en train d'ecrire...", 1, "b"))
    feed(session, System("Batty reste silencieux : rien.", 2, "b"))
    assert session.writers == ()


def test_an_error_of_one_persona_leaves_the_others_writing() -> None:
    session = greeted()
    feed(
        session,
        Chunk("Batty", "J'ai", COLOR, 1, "b"),
        Chunk("Schaeffer", "X", COLOR, 1, "a"),
        System("Batty: erreur Ollama — x"),
    )
    assert session.writers == ("Schaeffer",)


def test_a_reply_that_begins_anew_forgets_its_unfinished_forerunner() -> None:
    session = greeted()
    feed(session, Chunk("Batty", "old", COLOR, 1), Chunk("Batty", "new", COLOR, 1))
    assert [d.text for d in session.drafts.values()] == ["new"]


def test_a_reply_whose_beginning_was_missed_is_known_as_such() -> None:
    session = greeted()
    feed(session, Chunk("Batty", "middle", COLOR, 7, "b"), Chunk("Schaeffer", "X", COLOR, 1, "a"))
    assert [d.whole for d in session.drafts.values()] == [False, True]


def test_a_server_that_opens_replies_without_end_does_not_fill_the_memory() -> None:
    session = greeted()
    feed(session, *(Chunk("Batty", "x", COLOR, 1, str(number)) for number in range(500)))
    assert len(session.drafts) == MAX_DRAFTS
