from tests.support.tui import greeting
from tests.support.tui_session import COLOR, NOON, feed, greeted, last, said

from palabre.surfaces.rooms.tui.entry import Kind
from palabre.surfaces.rooms.tui.session import MAX_ENTRIES, Session
from palabre.wire.rooms import (
    Audio,
    ChannelInfo,
    Chunk,
    Image,
    Join,
    Message,
    Music,
    Part,
    SendCommand,
    ServerFrame,
    System,
    UserList,
    decode_server,
)

# Greeting, roster


def test_the_greeting_of_the_seed_gives_nick_personas_and_people() -> None:
    golden = (
        b'{"type":"system","text":"***\\n***  KXKM_Clown V2 \\u2014 WebSocket Chat\\n***\\n'
        b"***  Personas actives: Schaeffer\\n***  Tape /help pour les commandes.\\n"
        b'***  Ton nick: user_42\\n***"}',
        b'{"type":"persona","nick":"Schaeffer","color":"#4fc3f7"}',
        b'{"type":"userlist","users":["user_42","Schaeffer"]}',
    )
    session = Session()
    session.opened()
    feed(session, *(decode_server(raw) for raw in golden))
    assert session.nick == "user_42"
    assert session.personas == {"Schaeffer": "#4fc3f7"}
    assert (session.people, session.present_personas) == (("user_42",), ("Schaeffer",))
    assert last(session).kind is Kind.SYSTEM


def test_joins_and_parts_change_the_roster_before_the_next_list() -> None:
    session = greeted()
    feed(session, Join("zoé", "#general", "zoé a rejoint #general", 3))
    assert "zoé" in session.people
    assert last(session).kind is Kind.JOIN
    feed(session, Part("marc", "#general", "marc a quitte #general", 4))
    assert "marc" not in session.people
    feed(session, Join("zoé", "#elsewhere", "zoé a rejoint #elsewhere", 1))
    assert session.people.count("zoé") == 1


def test_an_invalid_color_is_no_color() -> None:
    session = greeted()
    feed(session, Message("Schaeffer", "x", "red; background: url(x)", 1))
    assert last(session).color == ""


# What waits


def test_what_was_sent_waits_until_the_server_says_it() -> None:
    session = greeted()
    session.sent("un")
    session.sent("deux")
    assert session.waiting == ("un", "deux")
    feed(session, Message("marc", "un", "", 1), Message("lea", "un", "", 2))
    assert session.waiting == ("deux",)
    assert session.take_waiting() == ("deux",)
    assert session.waiting == ()


def test_replayed_history_is_not_taken_for_what_waits() -> None:
    session = greeted()
    session.sent("un")
    feed(session, *replay(("lea", "un")))
    assert session.waiting == ("un",)


# Log


def test_the_log_keeps_the_last_500() -> None:
    session = greeted()
    feed(session, *(Message("marc", str(number), "", number) for number in range(600)))
    assert len(session.entries) == MAX_ENTRIES
    assert last(session).text == "599"
    assert session.entries[0].text == "100"


def test_the_sentinel_empties_the_log_and_lets_replies_go_on() -> None:
    session = greeted()
    feed(session, Chunk("Batty", "J'ai", COLOR, 1, "b"), System("__clear__", 7))
    assert not session.entries
    assert session.writers == ("Batty",)


def test_somebody_who_says_the_sentinel_clears_nothing() -> None:
    session = greeted()
    feed(session, Message("marc", "__clear__", "", 7))
    assert last(session).text == "__clear__"


def test_hostile_text_is_harmless_in_the_log() -> None:
    session = greeted()
    feed(session, Message("ma\x1b[31mrc", "\x1b[2J\u202eevil[bold]", "", 7))
    assert (last(session).nick, last(session).text) == ("marc", "evil[bold]")


def test_a_picture_and_music_become_lines_and_speech_none() -> None:
    session = greeted()
    before = len(session.entries)
    feed(
        session,
        Image("marc", '[Image generee: "x" seed:1]', "A" * 4096, "image/png"),
        Music("marc", '[Musique: "x" — 5s]', "A" * 4, "audio/wav"),
        Audio("Batty", "AAAA", "audio/wav"),
    )
    assert [e.text for e in list(session.entries)[before:]] == [
        '[Image generee: "x" seed:1]  (image/png, 3 kB)  /save 1',
        '[Musique: "x" — 5s]  (audio/wav, 1 kB)  /save 2',
    ]


# Names


def test_a_change_of_our_nick_is_followed_and_kept_for_the_next_connect() -> None:
    session = greeted()
    feed(session, System("marc est maintenant connu(e) comme paul", 4))
    assert session.nick == "lea"
    feed(session, System("lea est maintenant connu(e) comme léa", 5))
    assert (session.nick, session.wanted_nick) == ("léa", "léa")


def test_only_the_greeting_tells_our_nick() -> None:
    session = greeted()
    feed(session, System("***\n***  Ton nick: intruder\n***", 9))
    assert session.nick == "lea"


def test_being_called_is_noticed() -> None:
    session = greeted()
    calls = {
        "@lea viens": True,
        "lea: viens": True,
        "LEA?": True,
        "leattente": False,
        "galea": False,
        "x@lea.fr": False,
    }
    for text, called in calls.items():
        feed(session, Message("marc", text, "", 1))
        assert last(session).mentions_me is called, text
    feed(session, Message("lea", "lea parle de lea", "", 1))
    assert not last(session).mentions_me


# History replay


def replay(*messages: tuple[str, str]) -> list[ServerFrame]:
    return [
        System("--- Historique recent ---"),
        *(Message(nick, text, "#888888") for nick, text in messages),
        System("--- Fin de l'historique ---"),
    ]


def test_replayed_messages_stand_at_their_own_hour_between_two_rules() -> None:
    session = greeted()
    feed(session, *replay(("marc", "[09:41] bonjour"), ("Batty", "[09:42] oui\nnon")))
    kinds = [(e.kind, e.hour, e.text) for e in list(session.entries)[-4:]]
    assert kinds == [
        (Kind.DIVIDER, NOON, "history"),
        (Kind.MESSAGE, "09:41", "bonjour"),
        (Kind.MESSAGE, "09:42", "oui\nnon"),
        (Kind.DIVIDER, NOON, "now"),
    ]
    assert session.unread == 0


def test_a_live_message_during_the_replay_is_no_history() -> None:
    session = greeted()
    frames = replay(("marc", "[09:41] bonjour"))
    feed(session, *frames[:2], Message("marc", "now", "", 12), frames[2])
    assert said(session) == [("marc", "now"), ("marc", "bonjour")]


def test_an_empty_replay_shows_nothing() -> None:
    session = greeted()
    before = len(session.entries)
    feed(session, *replay())
    assert len(session.entries) == before


# Reconnecting


def test_after_a_reconnect_only_what_was_missed_is_added() -> None:
    session = greeted()
    feed(session, Message("marc", "one", "", 1), Message("lea", "two", "", 2))
    session.closed(NOON)
    session.opened()
    feed(session, *greeting("lea", "marc"))
    feed(
        session, *replay(("marc", "[11:58] one"), ("lea", "[11:59] two"), ("marc", "[12:00] three"))
    )
    assert said(session) == [("marc", "one"), ("lea", "two"), ("marc", "three")]
    assert sum("Ton nick" in e.text for e in session.entries) == 1


def test_after_a_reconnect_the_channel_is_joined_again() -> None:
    session = greeted()
    session.sent("/join #musique")
    feed(session, ChannelInfo("#musique"))
    assert session.channel == "#musique"
    session.closed(NOON)
    session.opened()
    assert session.channel == "#general"
    feed(session, *greeting("lea"))
    assert session.take_outgoing() == [SendCommand("/join #musique")]
    assert session.take_outgoing() == []
    session.closed(NOON)
    assert session.channel == "#musique"


def test_a_server_may_tell_at_any_time_where_we_are() -> None:
    session = greeted()
    feed(session, ChannelInfo("#salon"), Join("zoé", "#salon", "", 9))
    assert session.channel == "#salon"
    assert "zoé" in session.users


def test_a_channel_that_the_server_chose_is_not_joined_again() -> None:
    session = greeted()
    feed(session, ChannelInfo("#salon"))
    session.closed(NOON)
    session.opened()
    feed(session, *greeting("lea"), ChannelInfo("#salon"))
    assert session.take_outgoing() == []
    session.sent("/join #musique")
    feed(session, ChannelInfo("#musique"))
    session.closed(NOON)
    session.opened()
    assert session.channel == "#salon"
    feed(session, *greeting("lea"), ChannelInfo("#salon"), ChannelInfo("#musique"))
    assert session.take_outgoing() == [SendCommand("/join #musique")]
    assert session.channel == "#musique"


def test_with_the_connection_nobody_writes_any_more_and_what_was_said_stays() -> None:
    session = greeted()
    feed(session, Message("marc", "one", "", 1))
    feed(session, System("Eno est en train d'ecrire...", 2, "e"))
    feed(session, Chunk("Batty", "J'ai vu ", COLOR, 1, "b"))
    session.closed(NOON)
    assert session.writers == ()
    assert (last(session).kind, last(session).nick) == (Kind.CUT, "Batty")
    assert last(session).text == "J'ai vu …"
    session.opened()
    feed(session, *greeting("lea", "marc"), *replay(("marc", "[11:58] one")))
    assert said(session) == [("marc", "one")]


def test_a_replay_that_is_cut_off_is_shown_all_the_same() -> None:
    session = greeted()
    feed(session, *replay(("marc", "[09:41] bonjour"))[:2])
    session.closed(NOON)
    assert said(session) == [("marc", "bonjour")]


def test_a_name_given_by_the_server_is_asked_for_again_but_a_chosen_one_comes_first() -> None:
    unnamed = Session()
    unnamed.opened()
    feed(unnamed, *greeting("user_7"))
    unnamed.closed(NOON)
    assert unnamed.wanted_nick == "user_7"
    chosen = Session("lea")
    chosen.opened()
    feed(chosen, *greeting("user_8"))
    chosen.closed(NOON)
    assert chosen.wanted_nick == "lea"


# Unread


def test_messages_count_as_unread_while_nobody_watches() -> None:
    session = greeted()
    session.watch(watched=False)
    feed(session, Message("marc", "a", "", 1), Join("zoé", "#general", "zoé a rejoint"))
    feed(session, Message("marc", "b", "", 2))
    first = next(e.id for e in session.entries if e.text == "a")
    assert (session.unread, session.first_unread) == (2, first)
    session.watch(watched=True)
    assert (session.unread, session.first_unread) == (0, first)
    session.watch(watched=False)
    assert session.first_unread is None


def test_a_list_of_users_replaces_the_one_before_and_says_each_name_once() -> None:
    session = greeted()
    feed(session, UserList(("lea", "lea", "zoé", "Batty")))
    assert session.users == ("lea", "zoé", "Batty")
