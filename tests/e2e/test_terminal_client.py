"""The terminal client as a user has it: tmux types, a real server and a simulated model answer."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.lasting_server import DEADLINE_S, Server, simulated_model, until
from tests.support.served import PALABRE

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]

SCRIPT = """
tokens_per_s = 2

[[answer]]
persona = "Schaeffer"
tokens_per_s = 4
text = "Xenakis a compose des nuages de sons, puis il a bati un pavillon pour les entendre."

[[answer]]
text = "J'ai vu des choses que vous ne croiriez pas, au large d'Orion, pendant de longues heures."
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT)
    with simulated_model(script) as model_url:
        yield Server(tmp_path, model_url)


class Terminal:
    """A terminal of a given size in which a command runs."""

    def __init__(self, directory: Path, size: tuple[int, int], *command: str) -> None:
        self._socket = str(directory / "tmux")
        width, height = map(str, size)
        self._tmux("new-session", "-d", "-s", "t", "-x", width, "-y", height, *command)

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-t", "t", "-l", text)

    def press(self, *keys: str) -> None:
        self._tmux("send-keys", "-t", "t", *keys)

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p", "-t", "t")

    def shows(self, *words: str) -> None:
        until(
            lambda: all(word in self.screen() for word in words),
            lambda: f"{words} not in\n{self.screen()}",
        )

    def hides(self, word: str) -> None:
        until(lambda: word not in self.screen(), lambda: f"{word} still in\n{self.screen()}")

    def ended(self) -> None:
        until(lambda: self._run("has-session", "-t", "t").returncode != 0, self.screen)

    def close(self) -> None:
        self._run("kill-server")

    def _tmux(self, *arguments: str) -> str:
        done = self._run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["tmux", "-S", self._socket, "-f", os.devnull, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=DEADLINE_S,
            env=os.environ | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"},
        )


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def open_terminal(size: tuple[int, int], *command: str) -> Terminal:
        opened.append(Terminal(tmp_path, size, *command))
        return opened[-1]

    yield open_terminal
    for each in opened:
        each.close()


def chat(url: str, *options: str) -> list[str]:
    return [str(PALABRE), "chat", url, *options]


def plain(url: str, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        chat(url, "--plain", *options),
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE_S * 2,
    )


def test_an_answer_grows_in_sight_and_can_be_stopped(
    server: Server, terminal: Callable[..., Terminal]
) -> None:
    with server.running():
        screen = terminal((120, 40), *chat(server.url, "--nick", "lea"))
        screen.shows("● connecté", "lea (toi)", "Schaeffer")
        screen.type("Bonjour @sch")
        screen.press("Tab")
        screen.type("que penses-tu de Xenakis ?")
        screen.press("Enter")
        screen.shows(
            "Bonjour @Schaeffer que penses-tu", "Schaeffer écrit", "Xenakis a compose", "▌"
        )
        screen.shows("les entendre.")
        screen.hides("▌")
        assert screen.screen().count("Xenakis a compose") == 1

        screen.type("@Batty raconte")
        screen.press("Enter")
        screen.shows("Batty écrit", "J'ai vu des")
        screen.press("C-x")
        screen.hides("▌")
        assert "longues heures" not in screen.screen()


def test_every_key_does_what_the_help_page_says(
    server: Server, terminal: Callable[..., Terminal]
) -> None:
    with server.running():
        screen = terminal((80, 24), *chat(server.url, "--nick", "lea"))
        screen.shows("● connecté", "lea (toi)")
        screen.type("/ni")
        screen.shows("/nick <pseudo>")
        screen.press("Tab")
        screen.type("lea2")
        screen.press("Enter")
        screen.shows("lea2 (toi)")

        screen.press("F1")
        screen.shows("Palabre au clavier")
        screen.press("Escape")
        screen.hides("Palabre au clavier")
        screen.press("F2")
        screen.hides("lea2 (toi)")
        screen.press("C-l")
        screen.hides("est maintenant connu")
        screen.press("C-q")
        screen.ended()


def test_the_client_outlives_its_server_and_shows_nothing_twice(
    server: Server, terminal: Callable[..., Terminal]
) -> None:
    screen = terminal((80, 24), *chat(server.url, "--lang", "en", "--theme", "light"))
    screen.shows("reconnecting")
    with server.running():
        screen.shows("● connected")
        screen.type("hello there")
        screen.press("Enter")
        screen.shows("hello there")
        screen.hides("is writing")
    screen.shows("reconnecting in", "Connection lost")
    screen.type("not now")
    screen.press("Enter")
    screen.shows("No connection", "not now")
    with server.running():
        screen.press("F5")
        screen.shows("● connected")
        screen.press("Enter")
        screen.shows("│ not now")
        assert screen.screen().count("│ hello there") <= 1
        screen.press("C-q")
        screen.ended()


def test_the_server_speaks_the_clients_language_and_says_where_it_is(
    server: Server, terminal: Callable[..., Terminal]
) -> None:
    server.variables["PALABRE_ROOMS__DEFAULT_CHANNEL"] = "#salon"
    with server.running():
        screen = terminal((80, 24), *chat(server.url, "--nick", "lea", "--lang", "en"))
        screen.shows("● connected", "Palabre  #salon", "Your nick: lea")


def test_a_pipe_asks_and_gets_the_whole_answer(server: Server) -> None:
    with server.running():
        done = plain(server.url, "Bonjour @Schaeffer\n/who\n", "--nick", "tube")
    assert done.returncode == 0, done.stderr
    assert "<tube> Bonjour @Schaeffer" in done.stdout
    assert "<Schaeffer> Xenakis a compose des nuages de sons" in done.stdout
    assert "\x1b" not in done.stdout
    assert "-- connecté" in done.stderr


def test_a_pipe_shares_a_file_of_exactly_the_limit(server: Server, tmp_path: Path) -> None:
    (tmp_path / "ma note.txt").write_text("un nuage de sons")
    (tmp_path / "limite.txt").write_bytes(b"a" * (12 * 1024 * 1024))
    with server.running():
        lines = f"/upload '{tmp_path}/ma note.txt'\n/upload {tmp_path}/limite.txt\n"
        done = plain(server.url, lines, "--nick", "tube")
    assert done.returncode == 0
    assert "tube a envoyé: ma note.txt (0.0 KB)" in done.stdout
    assert "tube a envoyé: limite.txt (12288.0 KB)" in done.stdout
    assert "limite.txt est parti ; le serveur le lit." in done.stderr


def test_who_stops_reading_ends_the_client_without_an_error(server: Server) -> None:
    with server.running():
        command = chat(server.url, "--plain", "--nick", "tube")
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as client:
            assert client.stdin and client.stdout and client.stderr
            client.stdout.readline()
            client.stdout.close()
            client.stdin.write("bonjour\n")
            client.stdin.flush()
            assert client.wait(DEADLINE_S) == 1
            assert "Traceback" not in client.stderr.read()


@pytest.mark.parametrize("wrong", [("ftp://example.org",), ("http://127.0.0.1:1", "--nick", "a b")])
def test_a_wrong_address_or_nick_is_a_usage_error(wrong: tuple[str, ...]) -> None:
    done = plain(wrong[0], "", *wrong[1:])
    assert done.returncode == 2
    assert wrong[-1] in done.stderr
