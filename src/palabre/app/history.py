"""What was said, to be asked, counted and deleted: which store stands behind it."""

from dataclasses import dataclass

from palabre.adapters.storage.day_logs.follower import LogFollower
from palabre.adapters.storage.mirrored.logs import MirroredLogs
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.history.log_offsets import LogOffsets
from palabre.adapters.storage.sql.history.store import SqlHistoryStore
from palabre.app.settings import Settings
from palabre.core.audit.ports import Ledger
from palabre.core.history.service import History
from palabre.kernel.clock import Clock


@dataclass(frozen=True, slots=True)
class RunningHistory:
    """The history, and what follows the logs; None where no log is the truth."""

    history: History
    follower: LogFollower | None = None


def build_history(
    settings: Settings, database: Database, ledger: Ledger, clock: Clock
) -> RunningHistory:
    """Return the history in *database*."""
    store = SqlHistoryStore(database)
    follower = LogFollower(settings.data_dir, LogOffsets(database))
    if not settings.storage.in_database:
        return RunningHistory(History(store, ledger, clock, follower), follower)
    mirrored = MirroredLogs(follower) if settings.storage.mirror_files else None
    return RunningHistory(History(store, ledger, clock, mirrored))
