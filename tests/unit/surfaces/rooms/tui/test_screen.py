import pytest
from tests.support.tui import talk
from tests.support.tui_screen import Screen, running
from textual import events

from palabre.surfaces.rooms.tui.connection import GaveUp, Lost, Waiting
from palabre.surfaces.rooms.tui.help import HelpScreen
from palabre.surfaces.rooms.tui.judging import VerdictRefusedError
from palabre.surfaces.rooms.tui.people import PeoplePanel
from palabre.wire.rooms import Chunk, Message, SendCommand, SendMessage, System, UserList

COLOR = "#ef5350"


# Sending


async def test_enter_sends_a_message_and_a_slash_makes_it_a_command() -> None:
    async with running() as screen:
        await screen.press(*"bonjour", "enter", *"/who", "enter")
        assert screen.transport.sent == [SendMessage("bonjour"), SendCommand("/who")]
        assert screen.prompt.text == ""


async def test_a_blank_input_is_not_sent() -> None:
    async with running() as screen:
        await screen.press("space", "enter")
        assert screen.transport.sent == []


@pytest.mark.parametrize("key", ["ctrl+j", "alt+enter", "shift+enter"])
async def test_a_new_line_is_part_of_the_message(key: str) -> None:
    async with running() as screen:
        await screen.press("a", key, "b", "enter")
        assert screen.transport.sent == [SendMessage("a\nb")]


async def test_a_paste_of_several_lines_stays_in_the_input() -> None:
    async with running() as screen:
        screen.app.post_message(events.Paste("un\ndeux\ntrois"))
        await screen.settle()
        assert screen.transport.sent == []
        assert screen.prompt.size.height == 3
        await screen.press("enter")
        assert screen.transport.sent == [SendMessage("un\ndeux\ntrois")]


async def test_a_text_over_the_limit_is_kept_and_said_so() -> None:
    async with running() as screen:
        await screen.write("x" * 8193)
        assert "8193/8192" in screen.shown("hint")
        await screen.press("enter")
        assert screen.transport.sent == []
        assert "8193" in screen.shown("hint")
        await screen.press("backspace", "enter")
        assert screen.transport.texts == ["x" * 8192]


async def test_without_connection_the_text_waits() -> None:
    async with running(greeted=False) as screen:
        await screen.press(*"bonjour", "enter")
        assert screen.transport.sent == []
        assert screen.prompt.text == "bonjour"
        assert "Pas de connexion" in screen.shown("hint")


# Input


async def test_arrows_recall_what_was_sent() -> None:
    async with running() as screen:
        await screen.press("a", "enter", "b", "enter", "c", "up")
        assert screen.prompt.text == "b"
        await screen.press("up", "up")
        assert screen.prompt.text == "a"
        await screen.press("down", "down")
        assert screen.prompt.text == "c"


async def test_in_a_text_of_several_lines_arrows_move_first() -> None:
    async with running() as screen:
        await screen.press("x", "enter")
        await screen.write("a\nb")
        await screen.press("up")
        assert screen.prompt.text == "a\nb"
        await screen.press("up")
        assert screen.prompt.text == "x"


async def test_tab_completes_and_shows_the_choices() -> None:
    async with running() as screen:
        await screen.press(*"/c", "tab")
        assert screen.prompt.text == "/clear "
        assert "/compose" in screen.shown("hint")
        await screen.press("tab")
        assert screen.prompt.text == "/compose "
        await screen.write("bonjour @ra")
        await screen.press("tab")
        assert screen.prompt.text == "bonjour @Radigue "
        assert screen.prompt.has_focus


async def test_the_usage_of_a_command_is_shown_while_it_is_typed() -> None:
    async with running() as screen:
        await screen.press(*"/ni")
        assert "/nick <pseudo>" in screen.shown("hint")
        assert "change ton pseudo" in screen.shown("hint")


async def test_keys_of_a_fast_typist_act_in_the_order_of_their_pressing() -> None:
    async with running() as screen:
        for key in (*"@ra", "tab", *"oui", "enter", *"x", "up", "down", *"y"):
            screen.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await screen.settle()
        assert screen.transport.texts == ["@Radigue oui"]
        assert screen.prompt.text == "xy"


# Replies


async def test_a_reply_grows_in_sight_and_its_message_takes_its_place() -> None:
    async with running() as screen:
        screen.transport.receive(System("Batty est en train d'ecrire...", 1, "b"))
        await screen.settle()
        assert "Batty écrit" in screen.shown("hint")
        screen.transport.receive(
            Chunk("Batty", "J'ai v", COLOR, 1, "b"), Chunk("Batty", "u", COLOR, 2, "b")
        )
        await screen.settle()
        assert "J'ai vu▌" in screen.visible()
        screen.transport.receive(Message("Batty", "J'ai vu cela.", COLOR, 2, "b"))
        await screen.settle()
        assert "▌" not in screen.visible()
        assert screen.visible().count("J'ai vu") == 1
        assert "écrit" not in screen.shown("hint")


async def test_what_is_sent_while_an_answer_grows_is_seen_to_wait() -> None:
    async with running() as screen:
        screen.transport.receive(Chunk("Batty", "J'ai vu", COLOR, 1, "b"))
        await screen.press(*"et", "enter")
        lines = screen.visible().splitlines()
        assert lines[-1].endswith("lea │ et — en attente")
        assert "J'ai vu" in lines[-2]
        screen.transport.receive(Message("Batty", "J'ai vu.", COLOR, 2, "b"))
        screen.transport.receive(Message("lea", "et", COLOR, 3))
        await screen.settle()
        assert "en attente" not in screen.visible()


async def test_who_was_given_a_name_is_told_how_to_take_another() -> None:
    async with running(greeted=False) as screen:
        screen.app.conversation.session.wanted_nick = None
        screen.transport.greet("user_7")
        await screen.settle()
        assert "Ici tu es user_7 ; /nick <pseudo>" in screen.shown("hint")
        screen.transport.receive(System("user_7 est maintenant connu(e) comme lea", 4))
        await screen.settle()
        assert "/nick" not in screen.shown("hint")


async def test_whose_name_is_that_of_an_account_is_told_of_no_other() -> None:
    async with running(greeted=False) as screen:
        session = screen.app.conversation.session
        session.wanted_nick, session.by_account = None, True
        screen.transport.greet("marc")
        await screen.settle()
        assert session.nick == "marc"
        assert "/nick" not in screen.shown("hint")


async def test_escape_stops_only_when_somebody_writes_and_ctrl_x_always() -> None:
    async with running() as screen:
        await screen.press("escape")
        assert screen.transport.sent == []
        screen.transport.receive(Chunk("Batty", "J'ai", COLOR, 1, "b"))
        await screen.press("escape")
        assert screen.transport.sent == [SendCommand("/stop")]
        await screen.press("ctrl+x")
        assert screen.transport.texts == ["/stop", "/stop"]


# Reading


async def fill(screen: Screen, count: int = 60) -> None:
    screen.transport.receive(*(Message("marc", f"numéro {n}", "", n) for n in range(count)))
    await screen.settle()


async def test_paging_up_stops_the_scrolling_and_the_end_resumes_it() -> None:
    async with running() as screen:
        await fill(screen)
        assert "numéro 59" in screen.visible()
        await screen.press("pageup")
        before = screen.visible()
        screen.transport.receive(Message("marc", "nouveau", "", 99))
        await screen.settle()
        assert screen.visible() == before
        assert "1 nouveau message" in screen.shown("hint")
        await screen.press("ctrl+end")
        assert "nouveau" in screen.visible()
        assert "nouveaux messages" in screen.visible()
        assert "nouveau message" not in screen.shown("hint")
        await fill(screen, 1)
        assert "numéro 0" in screen.visible()


async def test_the_place_is_kept_when_old_messages_fall_out() -> None:
    async with running() as screen:
        await fill(screen, 500)
        await screen.press("pageup", "pageup")
        before = screen.visible()
        await fill(screen, 7)
        assert screen.visible() == before


async def test_the_place_is_kept_when_the_width_changes() -> None:
    async with running() as screen:
        await fill(screen, 200)
        await screen.press("pageup", "pageup")
        top = screen.visible().splitlines()[0].split()[-1]
        await screen.pilot.resize_terminal(60, 30)
        await screen.settle()
        assert screen.visible().splitlines()[0].split()[-1] == top


async def test_the_beginning_is_a_key_away() -> None:
    async with running() as screen:
        await fill(screen)
        await screen.press("ctrl+home")
        assert "KXKM_Clown V2" in screen.visible()


async def test_what_comes_while_the_terminal_is_in_the_back_is_marked() -> None:
    async with running() as screen:
        screen.app.post_message(events.AppBlur())
        await screen.settle()
        screen.transport.receive(Message("marc", "tu es là ?", "", 9))
        await screen.settle()
        assert "nouveaux messages" in screen.visible()
        screen.app.post_message(events.AppFocus())
        await screen.settle()
        assert "nouveau message" not in screen.shown("hint")


async def test_ctrl_l_clears_for_this_reader_alone() -> None:
    async with running() as screen:
        await fill(screen)
        await screen.press("ctrl+l")
        assert screen.visible().strip() == ""
        assert screen.transport.sent == []


# Around


async def test_people_are_listed_and_hidden_below_80_columns_until_asked_for() -> None:
    async with running((79, 24)) as screen:
        panel = screen.app.chat.query_one(PeoplePanel)
        assert not panel.display
        await screen.press("f2")
        assert panel.display
        assert "lea (toi)" in screen.shown("people-list")
        await screen.press("f2")
        assert not panel.display


async def test_at_80_columns_people_are_in_sight() -> None:
    async with running((80, 24)) as screen:
        assert screen.app.chat.query_one(PeoplePanel).display
        assert "Schaeffer" in screen.shown("people-list")


async def test_a_long_list_of_people_is_moved_through_with_keys() -> None:
    async with running((80, 24)) as screen:
        screen.transport.receive(UserList(tuple(f"user_{number}" for number in range(60))))
        await screen.settle()
        await screen.press("alt+down", "alt+down")
        assert screen.app.chat.query_one(PeoplePanel).scroll_offset.y == 10


def waiting_s(screen: Screen) -> int:
    """Return the seconds that are shown: they go by while the test runs, too."""
    return int(screen.shown("banner").split("reconnexion dans ")[1].split(" s")[0])


async def test_the_state_of_the_connection_is_said_in_words() -> None:
    async with running(greeted=False) as screen:
        assert "connexion…" in screen.shown("banner")
        screen.transport.greet()
        await screen.settle()
        assert "● connecté" in screen.shown("banner")
        screen.transport.report(Lost("gone"))
        screen.transport.report(Waiting(3, 400))
        await screen.settle()
        assert ", essai 3/20" in screen.shown("banner")
        before_s = waiting_s(screen)
        screen.app.conversation.tick()
        await screen.settle()
        assert before_s > waiting_s(screen) > 300
        screen.transport.report(GaveUp())
        await screen.settle()
        assert "déconnecté, F5 réessaie" in screen.shown("banner")
        await screen.press("f5")
        assert screen.transport.retries == 1


async def test_a_server_that_is_not_there_is_said_once_and_how_to_start_it() -> None:
    async with running(greeted=False) as screen:
        for attempt in (1, 2, 3):
            screen.transport.report(Lost("refused"))
            screen.transport.report(Waiting(attempt, 1))
        await screen.settle()
        assert screen.visible().count("Aucun serveur") == 1


async def test_ctrl_c_says_how_to_leave() -> None:
    async with running() as screen:
        await screen.press("ctrl+c")
        assert "Ctrl+Q quitte" in screen.shown("hint")


async def test_the_theme_changes_with_a_key() -> None:
    async with running() as screen:
        assert screen.app.theme == "palabre-dark"
        await screen.press("f3")
        assert screen.app.theme == "palabre-light"


@pytest.mark.parametrize("key", ["f1", "ctrl+g"])
async def test_the_help_page_opens_and_closes_and_the_input_has_the_cursor_again(key: str) -> None:
    async with running() as screen:
        await screen.press(key)
        assert isinstance(screen.app.screen, HelpScreen)
        await screen.press("escape")
        assert screen.app.screen is screen.app.chat
        assert screen.prompt.has_focus
        assert screen.transport.sent == []


async def test_nothing_is_said_of_commands_that_are_not_known_yet() -> None:
    async with running(greeted=False) as screen:
        await screen.write("/clear")
        assert screen.shown("hint") == ""
        await screen.press("f1")
        assert isinstance(screen.app.screen, HelpScreen)


async def test_hostile_names_and_texts_are_only_text() -> None:
    async with running() as screen:
        screen.transport.receive(Message("[red]m[/]", "[bold]x[/bold] \x1b[2J\x1b]0;t\x07y", "", 1))
        await screen.settle()
        assert "[red]m[/]" in screen.visible()
        assert "[bold]x[/bold] y" in screen.visible()


async def test_a_burst_of_chunks_is_drawn_in_time() -> None:
    async with running() as screen:
        talk(screen.transport)
        await fill(screen, 400)
        for number in range(2000):
            screen.transport.receive(Chunk("Batty", " mot", COLOR, number + 3, "r2"))
        await screen.settle()
        assert "mot▌" in screen.visible()


# What one thinks of answers


async def test_keys_mark_the_last_answer_where_it_stands() -> None:
    async with running() as screen:
        screen.transport.receive(
            Message("Batty", "J'ai vu.", COLOR, 1, "r1"), Message("lea", "merci", COLOR, 2)
        )
        await screen.press("f8")
        assert "J'ai vu. ▲" in screen.visible()
        await screen.press("f9", "f4")
        assert "J'ai vu. ▼ ◆" in screen.visible()
        assert [each.vote for each in screen.transport.verdicts] == ["up", "down", "pin"]


async def test_a_key_without_an_answer_says_so() -> None:
    async with running() as screen:
        await screen.press("f8")
        assert "Pas encore de réponse" in screen.visible()


async def test_a_mark_that_the_server_does_not_take_goes_away() -> None:
    async with running() as screen:
        screen.transport.refusal = VerdictRefusedError("unreachable")
        screen.transport.receive(Message("Batty", "J'ai vu.", COLOR, 1, "r1"))
        await screen.press(*"/thumb pin batty", "enter")
        assert "n'a pas atteint le serveur" in screen.visible()
        assert "◆" not in screen.visible()
        assert screen.transport.texts == []
