"""`LogSource` of logs that only show what the database holds."""

from datetime import date

from palabre.core.history.ports import LogSource


class MirroredLogs:
    """Lets the days of *files* be counted and deleted; nothing is read from them."""

    def __init__(self, files: LogSource) -> None:
        self._files = files

    async def catch_up(self, within_s: float | None) -> bool:  # noqa: ARG002 - the port's
        return True

    async def days_before(self, first_kept: date) -> int:
        return await self._files.days_before(first_kept)

    async def delete_before(self, first_kept: date) -> None:
        await self._files.delete_before(first_kept)
