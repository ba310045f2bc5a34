"""A terminal client without a network: tests hand it the frames of a server."""

import asyncio
from collections.abc import Callable

from palabre.surfaces.rooms.tui.client import TerminalClient
from palabre.surfaces.rooms.tui.commands import Command
from palabre.surfaces.rooms.tui.connection import Event, Opened, Received
from palabre.surfaces.rooms.tui.conversation import Conversation
from palabre.surfaces.rooms.tui.judging import VerdictRefusedError
from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.theme import ThemeName
from palabre.surfaces.rooms.tui.verdicts import Verdict
from palabre.surfaces.rooms.tui.words import Words
from palabre.testing.clock import FrozenClock
from palabre.texts import Language
from palabre.wire.rooms import (
    AskUploadTicket,
    Chunk,
    ClientFrame,
    Join,
    Message,
    Persona,
    SendCommand,
    SendMessage,
    ServerFrame,
    System,
    UploadTicket,
    UserList,
)

PERSONAS = {
    "Schaeffer": "#4fc3f7",
    "Batty": "#ef5350",
    "Radigue": "#ce93d8",
    "Pharmacius": "#1b5e20",
}
COMMANDS = (
    Command("/clear", "/clear", "efface le chat"),
    Command("/compose", "/compose <description>[, <durée>s]", "compose une musique"),
    Command("/nick", "/nick <pseudo>", "change ton pseudo"),
    Command("/stop", "/stop", "arrête tes réponses en cours"),
)


class ScriptedTransport:
    """Carries nothing: keeps what was sent and reports what a test says."""

    def __init__(
        self, wanted_nick: Callable[[], str | None], report: Callable[[Event], None]
    ) -> None:
        self.wanted_nick = wanted_nick
        self.report = report
        self.sent: list[ClientFrame] = []
        self.retries = 0
        self.verdicts: list[Verdict] = []
        self.refusal: VerdictRefusedError | None = None

    async def run(self) -> None:
        await asyncio.Event().wait()

    async def send(self, frame: ClientFrame) -> bool:
        self.sent.append(frame)
        if isinstance(frame, AskUploadTicket):
            self.receive(UploadTicket("ticket", 1))
        return True

    async def tell(self, verdict: Verdict, ticket: str) -> None:
        assert ticket == "ticket"
        if self.refusal:
            raise self.refusal
        self.verdicts.append(verdict)

    def retry(self) -> None:
        self.retries += 1

    def receive(self, *frames: ServerFrame) -> None:
        for frame in frames:
            self.report(Received(frame))

    def greet(self, nick: str = "lea", *others: str) -> None:
        """Open the connection and greet as seed 000 §5.2 does."""
        self.report(Opened())
        self.receive(*greeting(nick, *others))

    @property
    def texts(self) -> list[str]:
        return [frame.text for frame in self.sent if isinstance(frame, SendMessage | SendCommand)]


def greeting(nick: str, *others: str) -> list[ServerFrame]:
    motd = (
        "***\n***  KXKM_Clown V2 — WebSocket Chat\n***\n"
        "***  Personas actives: Schaeffer, Batty, Radigue, Pharmacius\n"
        f"***  Tape /help pour les commandes.\n***  Ton nick: {nick}\n***"
    )
    return [
        System(motd),
        *(Persona(name, color) for name, color in PERSONAS.items()),
        UserList((nick, *others, *PERSONAS)),
    ]


def terminal_client(
    language: Language = "fr", theme: ThemeName = "dark", commands: tuple[Command, ...] = COMMANDS
) -> tuple[TerminalClient, ScriptedTransport]:
    """Return a client and the transport that a test speaks through."""
    made: list[ScriptedTransport] = []

    def connect(
        wanted_nick: Callable[[], str | None], report: Callable[[Event], None]
    ) -> ScriptedTransport:
        made.append(ScriptedTransport(wanted_nick, report))
        return made[-1]

    async def load_commands() -> tuple[Command, ...]:
        return commands

    words = Words(language)

    async def tell(verdict: Verdict, ticket: str) -> None:
        await made[0].tell(verdict, ticket)

    conversation = Conversation(Session("lea"), FrozenClock(), words, connect, tell_verdict=tell)
    return TerminalClient(conversation, words, load_commands, theme), made[0]


def talk(transport: ScriptedTransport) -> None:
    """A short conversation of two people, with two replies that are still growing."""
    transport.receive(
        System("--- Historique recent ---"),
        Message("Radigue", "[09:41] Le son continu demande une autre écoute.", "#ce93d8"),
        Message("marc", "[09:43] Comme un *paysage* ?", "#e0e0e0"),
        System("--- Fin de l'historique ---"),
        Join("zoé", "#general", "zoé a rejoint #general", 43),
        Message("lea", "Bonjour @Schaeffer, que penses-tu de Xenakis ?", "#e0e0e0", 44),
        Message(
            "Schaeffer",
            "Xenakis a formalisé la **stochastique** : il traite les sons comme un gaz, par "
            "densités et par nuages. Trois œuvres à entendre :\n"
            "- *Metastaseis* (1954)\n- `Concret PH` (1958), deux minutes de charbon de bois\n"
            "- Persepolis\n\nEt toi @Batty, qu'as-tu vu ?",
            "#4fc3f7",
            45,
            "r1",
        ),
        Message("marc", "lea: tu connais https://example.org/xenakis ?", "#e0e0e0", 46),
        System("Batty est en train d'ecrire...", 47, "r2"),
        Chunk("Batty", "J'ai vu des nuages de sons ", "#ef5350", 1, "r2"),
        Chunk("Radigue", "Une onde lente, ", "#ce93d8", 1, "r3"),
        Chunk("Batty", "au large d'Orion, et ils brûl", "#ef5350", 2, "r2"),
        Chunk("Radigue", "presque immobile", "#ce93d8", 2, "r3"),
        System("Pharmacius est en train d'ecrire...", 48, "r4"),
    )
