from msgspec import UNSET

from palabre.surfaces.rooms.tui.pending import after_frame, with_line
from palabre.wire.rooms import ChannelInfo, Chunk, Message, System, UserList


def test_the_line_that_comes_back_and_those_before_it_wait_no_longer() -> None:
    waiting = ("un", "/help", "deux ", "trois")
    assert after_frame(waiting, Message("lea", "deux", "", 4), "lea") == ("trois",)
    assert after_frame(waiting, Message("marc", "deux", "", 4), "lea") == waiting
    assert after_frame(waiting, Message("lea", "ailleurs", "", 4), "lea") == waiting


def test_the_same_words_said_twice_wait_twice() -> None:
    assert after_frame(("oui", "oui"), Message("lea", "oui", "", 4), "lea") == ("oui",)


def test_what_the_server_refuses_is_what_was_sent_last() -> None:
    for words in ("Trop de messages — ralentis un peu.", "Too many messages are waiting: wait"):
        assert after_frame(("un", "deux"), System(words), "lea") == ("un",)


def test_an_answer_to_one_alone_takes_the_command_that_is_next() -> None:
    for answer in (System("=== Commandes ==="), ChannelInfo("#musique"), UserList(("lea",))):
        assert after_frame(("/help", "un"), answer, "lea") == ("un",)
        assert after_frame(("un", "/help"), answer, "lea") == ("un", "/help")


def test_what_is_said_to_everybody_answers_no_command() -> None:
    for frame in (
        System("marc est maintenant connu(e) comme paul", 7),
        System("Le modèle se télécharge.", UNSET, "r1"),
        UserList(("lea",), 8),
        Chunk("Batty", "J'ai", "#ef5350", 1, "b"),
    ):
        assert after_frame(("/help",), frame, "lea") == ("/help",)


def test_stop_is_done_out_of_turn_and_waits_for_nothing() -> None:
    assert with_line(("un",), "/stop") == ("un",)
    assert with_line(("un",), "/stopwatch") == ("un", "/stopwatch")
