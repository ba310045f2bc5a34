"""The terminal client as a user has it: tmux types, a real server and a simulated model answer."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]

PALABRE = str(Path(sys.executable).with_name("palabre"))
DEADLINE_S = 30
SCRIPT = """
tokens_per_s = 6

[[answer]]
persona = "Schaeffer"
text = "Xenakis a compose des nuages de sons, puis il a bati un pavillon pour les entendre."

[[answer]]
text = "J'ai vu des choses que vous ne croiriez pas, au large d'Orion, pendant de longues heures."
"""


def until(condition: Callable[[], bool], what: Callable[[], str]) -> None:
    """Wait until *condition* holds; fail with *what* after DEADLINE_S."""
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(what())
        time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_up(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def palabre(port: int, *arguments: str, log: Path, **environment: str) -> Iterator[None]:
    """Run a `palabre` that listens on *port*."""
    with log.open("a") as output:
        process = subprocess.Popen(
            [PALABRE, *arguments, "--port", str(port)],
            stdout=output,
            stderr=output,
            env=os.environ | environment,
        )
        try:
            until(lambda: is_up(port) or process.poll() is not None, log.read_text)
            assert process.poll() is None, log.read_text()
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(DEADLINE_S)


class Server:
    """A server of rooms that can be stopped and started again in the same place."""

    def __init__(self, home: Path, model_port: int) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._home = home
        self._model_port = model_port

    @contextmanager
    def running(self) -> Iterator[None]:
        with palabre(
            self.port,
            "serve",
            "--provider",
            "ollama",
            "--data-dir",
            str(self._home / "data"),
            log=self._home / "serve.log",
            OLLAMA_URL=f"http://127.0.0.1:{self._model_port}",
        ):
            yield


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    port = free_port()
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT)
    with palabre(port, "sim", "ollama", "--script", str(script), log=tmp_path / "sim.log"):
        yield Server(tmp_path, port)


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
    return [PALABRE, "chat", url, *options]


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


def test_a_pipe_asks_and_gets_the_whole_answer(server: Server) -> None:
    with server.running():
        done = plain(server.url, "Bonjour @Schaeffer\n/who\n", "--nick", "tube")
    assert done.returncode == 0, done.stderr
    assert "<tube> Bonjour @Schaeffer" in done.stdout
    assert "<Schaeffer> Xenakis a compose des nuages de sons" in done.stdout
    assert "\x1b" not in done.stdout
    assert "-- connecté" in done.stderr


@pytest.mark.parametrize("wrong", [("ftp://example.org",), ("http://127.0.0.1:1", "--nick", "a b")])
def test_a_wrong_address_or_nick_is_a_usage_error(wrong: tuple[str, ...]) -> None:
    done = plain(wrong[0], "", *wrong[1:])
    assert done.returncode == 2
    assert wrong[-1] in done.stderr
