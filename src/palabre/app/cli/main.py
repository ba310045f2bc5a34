"""The command line's root: `palabre`. Each noun is a module beside this one, with an `app`."""

import sys
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from typer._click.core import Command, Context


@dataclass(frozen=True, slots=True)
class Noun:
    """One command below the root, imported only when it is called.

    Attributes:
        name: The word, and the name of its module.
        summary: Its line in the list of commands, and the help of those that have subcommands.
    """

    name: str
    summary: str

    def load(self) -> "Command":
        """Import the module and return its command."""
        module = import_module(f"palabre.app.cli.{self.name}")
        command = typer.main.get_command(module.app)
        command.name = self.name
        if isinstance(command, TyperGroup):
            command.help = self.summary
        return command


NOUNS = {
    noun.name: noun
    for noun in (
        Noun("serve", "Serve the rooms: browser, terminal, WebSocket."),
        Noun("chat", "Enter the rooms from the terminal."),
        Noun("model", "List, fetch and try models, voices and ears."),
        Noun("knowledge", "Index, search and examine the documents that personas draw on."),
        Noun("persona", "List, read, check and edit personas, exchange character cards."),
        Noun("memory", "Show what personas remember, have it forgotten, undo that."),
        Noun("tools", "List what personas can use besides words, and try it."),
        Noun("mcp", "Give a program on this machine the tools of a running house."),
        Noun("user", "Add, list, change and remove accounts."),
        Noun("token", "Make, list and revoke keys by which programs come in."),
        Noun("audit", "Read and examine the book of changes: who did what."),
        Noun("data", "Bring in what was kept elsewhere; delete what is old."),
        Noun("backup", "Write all that must last into one file."),
        Noun("restore", "Put a backup back."),
        Noun("config", "Show and check the settings."),
        Noun("doctor", "Check this machine and say how to mend what is wrong."),
        Noun("sim", "Run a simulated peer."),
    )
}


class NounGroup(TyperGroup):
    """Shows every noun, imports one: `palabre --help` loads no server."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for noun in NOUNS.values():
            self.add_command(TyperCommand(noun.name, help=noun.summary))

    def resolve_command(
        self, ctx: "Context", args: list[str]
    ) -> "tuple[str | None, Command | None, list[str]]":
        name, command, rest = super().resolve_command(ctx, args)
        return name, NOUNS[name].load() if name in NOUNS else command, rest


app = typer.Typer(
    name="palabre",
    cls=NounGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer's callback
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - only here, and slow

        typer.echo(f"palabre {version('palabre')}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Give personas a voice: in chat rooms, in messengers, on companion tablets.

    **Examples**

    `palabre serve`

    `palabre chat http://127.0.0.1:3333`

    `palabre config show`
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; *arguments* None takes those of the process.

    The exit code is 0, 1 (it failed) or 2 (it was asked or configured wrongly).
    """
    try:
        app(arguments, prog_name="palabre")
    except Exception as error:  # noqa: BLE001 - the outermost loop
        from palabre.app.cli.failure import tell  # noqa: PLC0415 - nobody waits for it

        sys.exit(tell(error))
