"""`palabre data sweep`: delete what was said long ago."""

import asyncio
import json
import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.app.cli.console import plain_console
from palabre.app.cli.options import ConfigOption, DataDirOption, JsonOption
from palabre.app.clock import SystemClock
from palabre.app.database import opened_database
from palabre.app.history import build_history
from palabre.app.settings import Settings, load_settings
from palabre.core.audit.model import THE_MACHINE
from palabre.core.history.model import Swept
from palabre.core.history.service import DEFAULT_MAX_AGE_DAYS, History
from palabre.kernel.text import Text, text
from palabre.texts import say

DaysOption = Annotated[
    int, typer.Option("--days", min=1, max=365, metavar="N", help="Days before today to keep.")
]


@dataclass(frozen=True, slots=True)
class _Sweep:
    """What is to be done."""

    settings: Settings
    days: int

    def run(self, *, is_dry: bool) -> Swept:
        """Do it, or only look."""
        return asyncio.run(self._run(is_dry=is_dry))

    async def _run(self, *, is_dry: bool) -> Swept:
        async with opened_database(self.settings) as database:
            history = self._history(database)
            if is_dry:
                return await history.sweepable(self.days)
            return await history.sweep(THE_MACHINE, self.days)

    def _history(self, database: Database) -> History:
        clock = SystemClock()
        return build_history(self.settings, database, SqlLedger(database, clock), clock).history


def sweep(
    *,
    days: DaysOption = DEFAULT_MAX_AGE_DAYS,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what is too old.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete what was said more than N days ago (UTC), after asking: logs and what finds them.

    Today is never deleted. What personas are told of their channels, what they remember, and
    archives of summarised talks stay. It may be done while the program serves.

    **Examples**

    `palabre data sweep --dry-run`

    `palabre data sweep --days 90 --yes`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    work = _Sweep(settings, days)
    found = work.run(is_dry=True)
    if dry_run or not found.days:
        _tell("would_sweep", found, settings, as_json=as_json)
        return
    if not yes:
        question = text("cli.data.ask_sweep", days=found.days, messages=found.messages)
        typer.confirm(say(question, settings.language), abort=True, err=True)
    _tell("swept", work.run(is_dry=False), settings, as_json=as_json)


def _tell(code: str, swept: Swept, settings: Settings, *, as_json: bool) -> None:
    if as_json:
        data = {"days": swept.days, "messages": swept.messages, "deleted": code == "swept"}
        sys.stdout.write(json.dumps(data, indent=2) + "\n")
        return
    words: Text = text(f"cli.data.{code}", days=swept.days, messages=swept.messages)
    plain_console().print(say(words, settings.language), soft_wrap=True)
