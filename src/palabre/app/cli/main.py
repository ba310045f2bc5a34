"""The command line's root: `palabre`. Each noun is a module beside this one."""

import typer

app = typer.Typer(name="palabre", no_args_is_help=True, rich_markup_mode="markdown")


@app.callback()
def root() -> None:
    """Give personas a voice: in chat rooms, in messengers, on companion tablets."""


def main() -> None:
    """Run the command line."""
    app()
